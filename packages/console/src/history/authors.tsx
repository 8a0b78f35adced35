// Who made a change, and whom they acted as: accounts by their names.

import { linkTo } from '../address/address.ts'
import { model, typeNamed } from '../api/model.ts'
import { texts } from '../texts.ts'
import { authorsOf, labelKey, type RowLabels } from './row-labels.ts'

interface AuthorsProps {
  /** `account:<id>`, `operator:<id> as account:<id>`. */
  by: string
  labels: RowLabels
  /** Without links, as inside of a control. */
  isPlain?: boolean
}

export function Authors({ by, labels, isPlain = false }: AuthorsProps) {
  const type = typeNamed(model.value!.signIn?.type ?? '')
  return authorsOf(by).map(({ text, account }, index) => {
    const name = type && account !== null ? (labels.get(labelKey(type.name, account)) ?? account) : text
    const isLink = type !== undefined && account !== null && !isPlain
    return (
      <span key={text}>
        {index > 0 && ` ${texts.actingAs} `}
        {isLink ? <a href={linkTo([type.path, account])}>{name}</a> : name}
      </span>
    )
  })
}
