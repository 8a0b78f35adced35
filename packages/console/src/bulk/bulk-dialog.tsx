// The question before many rows are written: how many there are, what goes along, and which of them the server would refuse.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Failure, failureOf } from '../api/client.ts'
import { fieldNamed, type TypeModel, titleOf } from '../api/model.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { texts } from '../texts.ts'
import { WhyButton, WhyRulesButton } from '../why/why-button.tsx'
import {
  type BulkAction,
  type BulkTarget,
  countRows,
  findNotDeleted,
  findRefused,
  maxChosen,
  type Refusal,
  runBulk,
  runEach,
  tryBulk,
} from './bulk-request.ts'
import { bulkTexts } from './bulk-texts.ts'
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
  /** Whether there are rows that were not tried. */
  hasMore: boolean
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
  useEffect(() => {
    dialog.current!.showModal()
    return () => {
      isClosed.current = true // the page was left: nothing goes on unseen
    }
  }, [])
  useEffect(() => {
    attempt.value = null
    void tryOut(action, current, () => !isClosed.current).then((result) => {
      attempt.value = result
    })
  }, [ids.value])

  const end = () => onClose(doneCount.value === 0 ? null : bulkTexts.bulkDone[kind](texts.rowCount(doneCount.value)))
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
        onClose(bulkTexts.bulkDone[kind](texts.rowCount(count)))
        return
      }
      const { refused } = await runEach(kind, current, (outcome) => {
        doneCount.value = outcome.done
        return !isClosed.current
      })
      if (refused.length === 0 || isClosed.current) end()
      else attempt.value = { ...attempt.value!, count: 0, refused: [...attempt.value!.refused, ...refused] }
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
      aria-label={bulkTexts.bulkTitles[kind]}
      aria-busy={isRunning.value}
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={close}
    >
      {tried === null ? (
        <p role="status">{bulkTexts.checking}</p>
      ) : (
        <>
          {tried.count > 0 && <p>{bulkTexts.bulkQuestion[kind](texts.rowCount(tried.count))}</p>}
          {isRunning.value && isEach && <p role="status">{bulkTexts.progress(doneCount.value, tried.count)}</p>}
          <List items={tried.impact} />
          <FailureNote failure={tried.failure} />
          {tried.refused.length > 0 && (
            <>
              <p>{isEach && tried.count === 0 ? bulkTexts.refusedAfter : bulkTexts.refused}</p>
              <ul>
                {tried.refused.slice(0, maxListed).map((one) => (
                  <li key={one.id}>
                    {one.label}: {one.reason} <WhyRefused refusal={one} action={action} type={target.type} />
                  </li>
                ))}
              </ul>
              {tried.refused.length > maxListed && <p>{bulkTexts.andMore(tried.refused.length - maxListed)}</p>}
              {tried.hasMore && <p>{bulkTexts.refusedSome}</p>}
            </>
          )}
        </>
      )}
      <div class="actions">
        <button type="button" class="button" disabled={isRunning.value && !isEach} onClick={close}>
          {doneCount.value === 0 ? texts.cancel : texts.close}
        </button>
        {tried !== null && tried.refused.length > 0 && isFew(others) && tried.count === 0 && !isEach && (
          <button type="button" class="button" onClick={() => (ids.value = others)}>
            {bulkTexts.otherRows(texts.rowCount(others.length))}
          </button>
        )}
        <button
          type="button"
          class={`button ${kind === 'delete' || kind === 'purge' ? 'danger' : 'primary'}`}
          disabled={tried === null || tried.count === 0 || isRunning.value}
          onClick={() => void run()}
        >
          {bulkTexts.confirm[kind]}
        </button>
      </div>
    </dialog>
  )
}

/** Whether a filter can name them. */
function isFew(ids: readonly string[]): boolean {
  return ids.length > 0 && ids.length <= maxChosen
}

/** The rules that refuse a row. A deleted row is on no path: whoever may read and delete it may restore and purge it. */
function WhyRefused({ refusal, action, type }: { refusal: Refusal; action: BulkAction; type: TypeModel }) {
  const { id, label, denied } = refusal
  return denied.map((field) => {
    if (action.kind === 'restore' || action.kind === 'purge')
      return <WhyRulesButton key={field ?? ''} type={type.name} actions={['READ', 'DELETE']} subject={label} />
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

/** The server has no dry run of a restore: its rows are only counted, and chosen ones that can't be restored are named. */
async function tryOut(action: BulkAction, target: BulkTarget, goesOn: () => boolean): Promise<Attempt> {
  const nothing = { ids: [], count: 0, impact: [], refused: [], hasMore: false, failure: null }
  try {
    if (action.kind === 'restore' || action.kind === 'purge')
      return { ...nothing, count: await countRows(target), refused: await findNotDeleted(target) }
    const { count, ids } = await tryBulk(action, target)
    const isCounted = action.kind === 'delete' && ids.length > 0 && ids.length <= 100
    return { ...nothing, ids, count, impact: isCounted ? await deleteImpact(target.type, ids) : [] }
  } catch (error) {
    const failure = failureOf(error)
    const goesOnFor = (refused: readonly Refusal[]) => refused.length < maxListed && goesOn()
    const tried = await findRefused(action, target, goesOnFor).catch(() => null)
    if (tried === null || tried.refused.length === 0) return { ...nothing, failure }
    // Its hint has the filter of the others, if they are too many to be named one by one.
    const isAnswered = tried.ids.length <= maxChosen && !tried.hasMore
    return { ...nothing, ...tried, failure: isAnswered ? null : failure }
  }
}
