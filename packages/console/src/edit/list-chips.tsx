// The lists of a row: the first rows of each as links, how many there are, and new ones that are created along. A list is never loaded whole.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { linkTo } from '../address/address.ts'
import { client } from '../api/client.ts'
import { type FieldModel, innerType, pageSize, type TypeModel, titleOf, typeNamed } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'
import { texts } from '../texts.ts'
import { targetOf } from './drafts.ts'
import { AddedLinks, LinkChip, mayLink } from './linked-rows.tsx'
import { NewRows } from './row-fields.tsx'
import { written } from './save.ts'

const shownRows = 5
/** Of a list whose links can be taken away. */
const shownLinks = 20

export function ListChips({ type, row }: { type: TypeModel; row: Row }) {
  const lists = type.fields.filter(({ kind }) => kind === 'list')
  if (lists.length === 0 || type.kind === 'abstract') return null
  return (
    <nav aria-label={texts.lists}>
      <h3>{texts.lists}</h3>
      <ul class="lists">
        {lists.map((field) => (
          <li key={field.name}>
            <ListChip type={type} row={row} field={field} />
          </li>
        ))}
      </ul>
    </nav>
  )
}

function ListChip({ type, row, field }: { type: TypeModel; row: Row; field: FieldModel }) {
  const rows = useSignal<readonly Row[]>([])
  const total = useSignal<number | null>(null)
  const to = typeNamed(innerType(field.type))
  const steps = [type.path, row.id, kebabCase(field.name)]
  const target = targetOf(type, row)
  const isLinkable = mayLink(field, target)
  useEffect(() => {
    if (to === undefined) return
    const fields = ['id', ...(to.label === null ? [] : [to.label]), ...(to.kind === 'abstract' ? ['_type'] : [])]
    const path = steps.map(encodeURIComponent).join('/')
    client.rest
      .get<Row[]>(`/${path}?limit=${pageSize(isLinkable ? shownLinks : shownRows)}&fields=${fields.join(',')}`, {
        headers: { prefer: 'count=estimated, cut=60' },
      })
      .then(
        ({ data, headers }) => {
          rows.value = data!
          total.value = Number(headers.get('x-total-count'))
        },
        () => {}, // the link leads to the reason
      )
  }, [row._version, written.value])
  const isLocked = field.inverse === undefined && type.update === 'none'
  return (
    <NewRows field={field} target={target} before={undefined} isLocked={isLocked}>
      {(newButtons) => (
        <>
          <a href={linkTo(steps)}>{titleOf(field.name)}</a>
          {total.value !== null && <span class="dim"> {total.value.toLocaleString()}</span>}
          <div class="actions">
            {newButtons}
            {rows.value.map((one) => {
              const own = to!.kind === 'abstract' ? typeNamed(String(one._type)) : to!
              if (own === undefined) return null
              const [name, href] = [labelOf(to!, one), linkTo([own.path, one.id])]
              return isLinkable ? (
                <LinkChip key={one.id} {...{ target, field, name, href }} id={one.id} side="disconnect" />
              ) : (
                <a key={one.id} class="chip-link" href={href}>
                  {name}
                </a>
              )
            })}
            {isLinkable && <AddedLinks target={target} field={field} />}
          </div>
        </>
      )}
    </NewRows>
  )
}

/** The path of a list is its name in kebab-case. */
function kebabCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}
