// The list of all types that the user may read, by kind.

import { useSignal } from '@preact/signals'
import { address, linkTo } from '../address/address.ts'
import { model, type TypeModel, titleOf } from '../api/model.ts'
import { OperationLinks } from '../operations/operation-pages.tsx'
import { texts } from '../texts.ts'

const kinds = ['rows', 'view', 'abstract', 'system'] as const

/** More types than this have a box to find one. */
const fewTypes = 15

export function Navigation() {
  const wanted = useSignal('')
  const { types } = model.value!
  const found = types.filter(({ name }) => name.toLowerCase().includes(wanted.value.trim().toLowerCase()))
  return (
    <nav class="navigation" aria-label={texts.types}>
      {types.length > fewTypes && (
        <input
          type="search"
          aria-label={texts.findType}
          placeholder={texts.findType}
          value={wanted.value}
          onInput={(event) => {
            wanted.value = event.currentTarget.value
          }}
        />
      )}
      {kinds.map((kind) => (
        <Group key={kind} title={texts.groups[kind]} types={found.filter((type) => type.kind === kind)} />
      ))}
      <CustomOperationLinks wanted={wanted.value} />
      <OperationLinks />
    </nav>
  )
}

function Group({ title, types }: { title: string; types: readonly TypeModel[] }) {
  if (types.length === 0) return null
  const [current] = address.value.steps
  return (
    <>
      <h2>{title}</h2>
      <ul>
        {types.map(({ name, path, description }) => (
          <li key={path}>
            <a
              href={linkTo([path])}
              title={description ?? undefined}
              aria-current={path === current ? 'page' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

function CustomOperationLinks({ wanted }: { wanted: string }) {
  const found = model.value!.operations.filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()))
  if (found.length === 0) return null
  const [page, current] = address.value.steps
  return (
    <>
      <h2>{texts.customOperations}</h2>
      <ul>
        {found.map(({ name, description }) => (
          <li key={name}>
            <a
              href={linkTo(['+call', name])}
              title={description ?? undefined}
              aria-current={page === '+call' && name === current ? 'page' : undefined}
            >
              {titleOf(name)}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
