// The question before many rows are written: how many there are, what goes along, and which of them the server would refuse.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Failure, failureOf } from '../api/client.ts'
import { fieldNamed, type TypeModel, titleOf } from '../api/model.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { texts } from '../texts.ts'
import { WhyButton } from '../why/why-button.tsx'
import {
  type BulkAction,
  type BulkTarget,
  countRows,
  findRefused,
  type Refusal,
  readRows,
  runBulk,
  runEach,
  tryBulk,
} from './bulk-request.ts'
import { deleteImpact } from './delete-impact.ts'

interface BulkDialogProps {
  action: BulkAction
  target: BulkTarget
  /** With a sentence about what was done; null: nothing was. */
  onClose(done: string | null): void
}

/** Refused rows beyond these are counted only. */
const maxListed = 100

interface Attempt {
  ids: readonly string[]
  count: number
  impact: readonly string[]
  refused: readonly Refusal[]
  failure: Failure | null
}

export function BulkDialog({ action, target, onClose }: BulkDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const isClosed = useRef(false)
  const ids = useSignal(target.ids)
  const attempt = useSignal<Attempt | null>(null)
  const isRunning = useSignal(false)
  /** Rows that were restored or purged, while the server refused others. */
  const doneCount = useSignal(0)
  const { kind } = action
  const isEach = kind === 'restore' || kind === 'purge'
  const current: BulkTarget = { ...target, ids: ids.value }
  useEffect(() => dialog.current!.showModal(), [])
  useEffect(() => {
    attempt.value = null
    void tryOut(action, current).then((result) => {
      attempt.value = result
    })
  }, [ids.value])

  const end = () => onClose(doneCount.value === 0 ? null : texts.bulkDone[kind](texts.rowCount(doneCount.value)))
  /** Rows are restored or purged until the end of a portion. */
  const close = () => {
    isClosed.current = true
    if (!isRunning.value || !isEach) end()
  }
  const run = async () => {
    isRunning.value = true
    try {
      if (!isEach) {
        const { count } = await runBulk(action, current)
        onClose(texts.bulkDone[kind](texts.rowCount(count)))
        return
      }
      const { refused } = await runEach(kind, current, (outcome) => {
        doneCount.value = outcome.done
        return !isClosed.current
      })
      if (refused.length === 0 || isClosed.current) end()
      else attempt.value = { ...attempt.value!, count: 0, refused }
    } catch (error) {
      if (isClosed.current) end()
      else attempt.value = { ...attempt.value!, failure: failureOf(error) }
    } finally {
      isRunning.value = false
    }
  }
  const tried = attempt.value
  const others = tried === null ? [] : tried.ids.filter((id) => !tried.refused.some((one) => one.id === id))
  return (
    <dialog
      ref={dialog}
      class="bulk"
      aria-label={texts.bulkTitles[kind]}
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={close}
    >
      {tried === null ? (
        <p role="status">{texts.checking}</p>
      ) : (
        <>
          {tried.count > 0 && <p>{texts.bulkQuestion[kind](texts.rowCount(tried.count))}</p>}
          {isRunning.value && isEach && <p role="status">{texts.progress(doneCount.value, tried.count)}</p>}
          <List items={tried.impact} />
          <FailureNote failure={tried.failure} />
          {tried.refused.length > 0 && (
            <>
              <p>{isEach ? texts.refusedAfter : texts.refused}</p>
              <ul>
                {tried.refused.slice(0, maxListed).map((one) => (
                  <li key={one.id}>
                    {one.label}: {one.reason} <WhyRefused refusal={one} action={action} type={target.type} />
                  </li>
                ))}
              </ul>
              {tried.refused.length > maxListed && <p>{texts.andMore(tried.refused.length - maxListed)}</p>}
            </>
          )}
        </>
      )}
      <div class="actions">
        <button type="button" class="button" disabled={isRunning.value && !isEach} onClick={close}>
          {doneCount.value === 0 ? texts.cancel : texts.close}
        </button>
        {tried !== null && tried.refused.length > 0 && others.length > 0 && tried.count === 0 && !isEach && (
          <button type="button" class="button" onClick={() => (ids.value = others)}>
            {texts.otherRows(texts.rowCount(others.length))}
          </button>
        )}
        <button
          type="button"
          class={`button ${kind === 'delete' || kind === 'purge' ? 'danger' : 'primary'}`}
          disabled={tried === null || tried.count === 0 || isRunning.value}
          onClick={() => void run()}
        >
          {texts.confirm[kind]}
        </button>
      </div>
    </dialog>
  )
}

/** The rules that refuse a row. A deleted row has none: whoever may delete it may restore it. */
function WhyRefused({ refusal, action, type }: { refusal: Refusal; action: BulkAction; type: TypeModel }) {
  const { id, label, denied } = refusal
  if (action.kind !== 'update' && action.kind !== 'delete') return null
  return denied.map((field) => {
    const next = action.kind === 'update' && field !== null ? action.changes[field] : undefined
    const isState = field !== null && fieldNamed(type, field)?.transitions !== undefined
    return (
      <WhyButton
        key={field ?? ''}
        type={type}
        row={{ id }}
        action={action.kind === 'update' ? 'UPDATE' : 'DELETE'}
        field={field}
        {...(isState && { to: String(next) })}
        subject={field === null ? label : `${label}, ${titleOf(field)}`}
      />
    )
  })
}

function List({ items }: { items: readonly string[] }) {
  if (items.length === 0) return null
  return (
    <ul>
      {items.map((one) => (
        <li key={one}>{one}</li>
      ))}
    </ul>
  )
}

/** The server has no dry run of a restore: its rows are only counted. */
async function tryOut(action: BulkAction, target: BulkTarget): Promise<Attempt> {
  const nothing = { ids: [], count: 0, impact: [], refused: [], failure: null }
  try {
    if (action.kind === 'restore' || action.kind === 'purge') return { ...nothing, count: await countRows(target) }
    const { count, ids } = await tryBulk(action, target)
    const isCounted = action.kind === 'delete' && ids.length > 0 && ids.length <= 100
    return { ...nothing, ids, count, impact: isCounted ? await deleteImpact(target.type, ids) : [] }
  } catch (error) {
    const failure = failureOf(error)
    const rows = await readRows(target).catch(() => [])
    const refused = rows.length === 0 ? [] : await findRefused(action, target)
    return { ...nothing, ids: rows.map(({ id }) => id), refused, failure: refused.length === 0 ? failure : null }
  }
}
