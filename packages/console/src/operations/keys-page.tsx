// API keys of machines: what each is for, its roles, since when, its last use; a form that makes one, and a button that ends one. For the role admin.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../api/client.ts'
import { typeNamed } from '../api/model.ts'
import { readRowsUpTo, type SomeRows } from '../api/read-rows.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { RequestNote } from '../page/request-note.tsx'
import { printTime } from '../rows/cell.tsx'
import { texts as common } from '../texts.ts'
import { operationTexts as texts } from './operation-texts.ts'
import { maxListed, useRequest } from './use-request.ts'

interface KeyRow {
  id: string
  name: string | null
  roles: readonly string[]
  createdAt: string
  lastUsedAt: string | null
}

export function KeysPage() {
  const keys = useSignal<SomeRows<KeyRow> | null>(null)
  const asked = useSignal<string | null>(null)
  const { failure, isRunning, run } = useRequest()
  const type = typeNamed('ApiKey')!
  const load = () =>
    run(async () => {
      keys.value = await readRowsUpTo<KeyRow>(maxListed, 'api-keys', 'sort=id')
    })
  useEffect(() => void load(), [])
  const end = (id: string) =>
    run(async () => {
      await client.rest.delete(`/api-keys/${encodeURIComponent(id)}`)
    }).then((isDone) => isDone && load())
  return (
    <section class="operations" aria-label={common.keys}>
      <h2>{common.keys}</h2>
      <RequestNote failure={failure.value} result={keys.value} />
      {keys.value?.rows.length === 0 && <p class="nothing">{texts.noKeys}</p>}
      {keys.value?.hasMore && <p class="note">{texts.firstListed(maxListed)}</p>}
      <ul class="history">
        {keys.value?.rows.map(({ id, name, roles, createdAt, lastUsedAt }) => (
          <li key={id}>
            <strong>{name ?? id}</strong> <span>{texts.keyRights(roles)}</span>{' '}
            <span class="dim">
              {texts.since(printTime(createdAt))},{' '}
              {lastUsedAt === null ? texts.neverUsed : texts.lastUsed(printTime(lastUsedAt))}
            </span>{' '}
            {type.delete !== 'none' &&
              (asked.value === id ? (
                <>
                  <span>{texts.endKeyQuestion}</span>{' '}
                  <button type="button" class="button danger" disabled={isRunning.value} onClick={() => void end(id)}>
                    {texts.endKeyNow(name ?? id)}
                  </button>
                </>
              ) : (
                <button
                  type="button"
                  class="button quiet"
                  onClick={() => {
                    asked.value = id
                  }}
                >
                  {texts.endKey(name ?? id)}
                </button>
              ))}
          </li>
        ))}
      </ul>
      {type.create !== 'none' && <NewKeyForm onMade={() => void load()} />}
    </section>
  )
}

/** The server shows a key once, so it stays here until the next one or until the page is left. */
function NewKeyForm({ onMade }: { onMade(): void }) {
  const name = useSignal('')
  const roles = useSignal('')
  const made = useSignal<string | null>(null)
  const { failure, isRunning, run } = useRequest()
  const make = () =>
    run(async () => {
      const body = { name: name.value || null, roles: roles.value.split(/[\s,]+/).filter((role) => role !== '') }
      made.value = (await client.rest.post<{ key: string }>('/api-keys', body)).data!.key
      name.value = ''
      roles.value = ''
      onMade()
    })
  return (
    <form
      class="invitation"
      aria-label={texts.newKey}
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <h3>{texts.newKey}</h3>
      <label>
        {texts.keyName}{' '}
        <input
          maxLength={200}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value
          }}
        />
      </label>{' '}
      <label>
        {texts.keyRoles}{' '}
        <input
          required
          value={roles.value}
          onInput={(event) => {
            roles.value = event.currentTarget.value
          }}
        />
      </label>
      <FailureNote failure={failure.value} />
      <p role="status">
        {made.value !== null && (
          <>
            {texts.keyMade} <code>{made.value}</code>
          </>
        )}
      </p>
      <button type="submit" class="button primary" disabled={isRunning.value}>
        {texts.makeKey}
      </button>
    </form>
  )
}
