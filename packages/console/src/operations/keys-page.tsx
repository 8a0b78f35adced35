// API keys of machines: what each is for, its roles, since when, its last use; and a button that ends it. For the role admin.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client } from '../api/client.ts'
import { typeNamed } from '../api/model.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { printTime } from '../rows/cell.tsx'
import { texts as common } from '../texts.ts'
import { operationTexts as texts } from './operation-texts.ts'
import { useRequest } from './use-request.ts'

interface KeyRow {
  id: string
  name: string | null
  roles: readonly string[]
  createdAt: string
  lastUsedAt: string | null
}

export function KeysPage() {
  const keys = useSignal<readonly KeyRow[] | null>(null)
  const asked = useSignal<string | null>(null)
  const { failure, isRunning, run } = useRequest()
  const type = typeNamed('ApiKey')!
  const load = () =>
    run(async () => {
      keys.value = (await client.rest.get<KeyRow[]>('/api-keys?limit=100')).data!
    })
  useEffect(() => void load(), [])
  const end = (id: string) =>
    run(async () => {
      await client.rest.delete(`/api-keys/${encodeURIComponent(id)}`)
    }).then((isDone) => isDone && load())
  return (
    <section class="operations" aria-label={common.keys}>
      <h2>{common.keys}</h2>
      <FailureNote failure={failure.value} />
      <p class="dim">{texts.keyCommand}</p>
      {keys.value?.length === 0 && <p class="nothing">{texts.noKeys}</p>}
      <ul class="history">
        {keys.value?.map(({ id, name, roles, createdAt, lastUsedAt }) => (
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
    </section>
  )
}
