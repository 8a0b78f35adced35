// The page of one custom operation: `/console/+call/publish`.

import { linkTo } from '../address/address.ts'
import { model, titleOf } from '../api/model.ts'
import { texts } from '../texts.ts'
import { isAdmin } from '../why/access.ts'
import { OperationForm } from './operation-form.tsx'

export function OperationPage({ name }: { name: string }) {
  const operation = model.value!.operations.find((one) => one.name === name)
  if (operation === undefined)
    return (
      <p class="nothing">
        {texts.notFound} <a href={linkTo([])}>{texts.toStart}</a>{' '}
        {isAdmin() && (
          <a aria-label={texts.whyNot(titleOf(name))} href={linkTo(['+access'], 'action=CALL')}>
            {texts.why}
          </a>
        )}
      </p>
    )
  return (
    <section class="operations" aria-label={titleOf(name)}>
      <h2>{titleOf(name)}</h2>
      <OperationForm key={name} operation={operation} about={null} />
    </section>
  )
}
