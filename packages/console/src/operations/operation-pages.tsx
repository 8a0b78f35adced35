// The pages about a running service, by their step of the address. Each is loaded when somebody opens it.

import type { ComponentType } from 'preact'
import { address, linkTo } from '../address/address.ts'
import { base } from '../api/base.ts'
import { model, type ServiceModel, typeAt, typeNamed } from '../api/model.ts'
import { lazy } from '../page/lazy.tsx'
import { texts } from '../texts.ts'

interface OperationPage {
  /** No collection has a path with a plus. */
  step: string
  title: string
  Page: ComponentType
  /** The type without which there is no page. */
  needs?: string
  /** Whether it shows the user anything. Absent: it does. */
  isShown?(model: ServiceModel): boolean
}

const isAdmin = ({ viewer }: ServiceModel) => viewer.roles.includes('admin')

const hasType = (name: string) => typeNamed(name) !== undefined

const pages: readonly OperationPage[] = [
  {
    step: '+query',
    title: texts.query,
    Page: lazy(async () => (await import('../query/query-page.tsx')).QueryPage),
    isShown: ({ documents }) => documents === 'any',
  },
  { step: '+events', title: texts.events, Page: lazy(async () => (await import('./events-page.tsx')).EventsPage) },
  {
    step: '+schema',
    title: texts.schema,
    Page: lazy(async () => (await import('../schema/schema-page.tsx')).SchemaPage),
    isShown: (model) => model.signIn === null || isAdmin(model),
  },
  {
    step: '+mails',
    title: texts.mails,
    Page: lazy(async () => (await import('./mails-page.tsx')).MailsPage),
    isShown: ({ mails }) => mails === 'kept',
  },
  {
    step: '+people',
    title: texts.people,
    Page: lazy(async () => (await import('./people/people-page.tsx')).PeoplePage),
    isShown: ({ signIn, types }) => types.some(({ name }) => name === signIn?.type),
  },
  {
    step: '+keys',
    title: texts.keys,
    Page: lazy(async () => (await import('./keys-page.tsx')).KeysPage),
    needs: 'ApiKey',
  },
  {
    step: '+webhooks',
    title: texts.webhooks,
    Page: lazy(async () => (await import('./queue/webhooks-page.tsx')).WebhooksPage),
    needs: 'Webhook',
  },
  {
    step: '+jobs',
    title: texts.jobs,
    Page: lazy(async () => (await import('./queue/jobs-page.tsx')).JobsPage),
    needs: 'BackgroundJob',
  },
  {
    step: '+load',
    title: texts.load,
    Page: lazy(async () => (await import('./load/load-page.tsx')).LoadPage),
    isShown: isAdmin,
  },
  {
    step: '+access',
    title: texts.matrix,
    Page: lazy(async () => (await import('../why/access-matrix-page.tsx')).AccessMatrixPage),
    isShown: isAdmin,
  },
]

/** A page is at `/console/query` too, unless a collection has this path. */
export function operationPage(step: string | undefined): ComponentType | undefined {
  const page = pages.find((one) => one.step === step || isShortFor(step, one))
  return page?.needs === undefined || hasType(page.needs) ? page?.Page : undefined
}

function isShortFor(step: string | undefined, page: OperationPage): boolean {
  return step !== undefined && `+${step}` === page.step && typeAt(step) === undefined
}

/** Those that show the user anything. */
export function shownPages(): readonly OperationPage[] {
  return pages.filter(
    ({ needs, isShown }) => (needs === undefined || hasType(needs)) && (isShown === undefined || isShown(model.value!)),
  )
}

export function OperationLinks() {
  const [current] = address.value.steps
  return (
    <>
      <h2>{texts.operations}</h2>
      <ul>
        {shownPages().map(({ step, title }) => (
          <li key={step}>
            <a href={linkTo([step])} aria-current={step === current || step === `+${current}` ? 'page' : undefined}>
              {title}
            </a>
          </li>
        ))}
        <li>
          <a href={`${base}/docs`}>{texts.reference}</a>
        </li>
      </ul>
    </>
  )
}
