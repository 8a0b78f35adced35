// The sessions and identities of one account, and its lock.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { acting } from '../../api/acting.ts'
import { client } from '../../api/client.ts'
import { model, type TypeModel, typeNamed } from '../../api/model.ts'
import { readRowsUpTo } from '../../api/read-rows.ts'
import type { Row } from '../../api/row.ts'
import { FailureNote } from '../../page/failure-note.tsx'
import { RequestNote } from '../../page/request-note.tsx'
import { printTime } from '../../rows/cell.tsx'
import { WhyButton, WhyRulesButton } from '../../why/why-button.tsx'
import { operationTexts as texts } from '../operation-texts.ts'
import { maxListed, useRequest } from '../use-request.ts'

interface SessionRow {
  id: string
  how: string | null
  client: string | null
  address: string | null
  current: boolean
  createdAt: string | null
  lastUsedAt: string | null
  by: string | null
  reason: string | null
}

interface IdentityRow {
  id: string
  provider: string | null
  issuer: string
  subject: string
  lastUsedAt: string
}

interface PersonDetailsProps {
  type: TypeModel
  row: Row
  onChange(): void
}

export function PersonDetails({ type, row, onChange }: PersonDetailsProps) {
  const found = useSignal<{ sessions: readonly SessionRow[]; identities: readonly IdentityRow[] } | null>(null)
  const { failure, run } = useRequest()
  const locking = useRequest()
  const [sessionType, identityType] = [typeNamed('Token'), typeNamed('Identity')]
  const load = () =>
    run(async () => {
      const of = `account=${encodeURIComponent(row.id)}`
      const [sessions, identities] = await Promise.all([
        sessionType && readRowsUpTo<SessionRow>(maxListed, 'tokens', `${of}&sort=-createdAt`),
        identityType && readRowsUpTo<IdentityRow>(maxListed, 'identities', of),
      ])
      found.value = { sessions: sessions?.rows ?? [], identities: identities?.rows ?? [] }
    })
  useEffect(() => void load(), [row.id])
  /** The type of the row that was to be removed last. */
  const removed = useSignal('')
  const remove = (of: TypeModel, id: string) => {
    removed.value = of.name
    void run(async () => {
      await client.rest.delete(`/${of.path}/${id}`)
    }).then((isDone) => isDone && load())
  }
  const isLocked = row._lockedAt != null
  const { account, roles } = model.value!.viewer
  const mayAsk = roles.includes('admin') && acting === null && row.id !== account
  const mayLock = mayAsk && type.update !== 'none'
  const lockTitle = isLocked ? texts.unlock : texts.lock
  const whyNot = <WhyButton {...{ type, row }} action="UPDATE" field={null} subject={lockTitle} />
  const lock = () =>
    locking
      .run(async () => {
        await client.rest.patch(`/${type.path}/${encodeURIComponent(row.id)}`, { _locked: !isLocked })
      })
      .then((isDone) => isDone && onChange())
  return (
    <div class="person">
      <RequestNote failure={failure.value} result={found.value}>
        {removed.value !== '' && <WhyRulesButton type={removed.value} actions={['DELETE']} subject={removed.value} />}
      </RequestNote>
      <FailureNote failure={locking.failure.value}>{whyNot}</FailureNote>
      <p class="dim">
        {row._verifiedAt != null && `${texts.verified(printTime(String(row._verifiedAt)))} `}
        {isLocked && texts.lockedSince(printTime(String(row._lockedAt)))}
      </p>
      {mayLock && (
        <button
          type="button"
          class={isLocked ? 'button' : 'button danger'}
          disabled={locking.isRunning.value}
          onClick={() => void lock()}
        >
          {lockTitle}
        </button>
      )}
      {mayAsk && !mayLock && whyNot}
      {sessionType !== undefined && found.value !== null && (
        <>
          <h3>{texts.sessions}</h3>
          {found.value.sessions.length === 0 && <p class="dim">{texts.noSessions}</p>}
          <ul>
            {found.value.sessions.map((one) => (
              <li key={one.id}>
                {sessionText(one)}{' '}
                {sessionType.delete !== 'none' && (
                  <button type="button" class="button quiet" onClick={() => remove(sessionType, one.id)}>
                    {one.current ? texts.endCurrent : texts.endSession}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {identityType !== undefined && found.value !== null && (
        <>
          <h3>{texts.identities}</h3>
          {found.value.identities.length === 0 && <p class="dim">{texts.noIdentities}</p>}
          <ul>
            {found.value.identities.map(({ id, provider, issuer, subject, lastUsedAt }) => (
              <li key={id}>
                <strong>{provider ?? issuer}</strong> {subject} {texts.lastUsed(printTime(lastUsedAt))}{' '}
                {identityType.delete !== 'none' && (
                  <button type="button" class="button quiet" onClick={() => remove(identityType, id)}>
                    {texts.removeIdentity}
                  </button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** How, by which client, from where, and when. */
function sessionText({ how, client: name, address, createdAt, lastUsedAt, by, reason }: SessionRow): string {
  const parts = [
    how === null ? null : texts.methods[how as keyof typeof texts.methods],
    name,
    address,
    by === null ? null : texts.actedBy(by),
    reason,
    createdAt === null ? null : texts.since(printTime(createdAt)),
    lastUsedAt === null ? null : texts.lastUsed(printTime(lastUsedAt)),
  ]
  return parts.filter(Boolean).join(', ')
}
