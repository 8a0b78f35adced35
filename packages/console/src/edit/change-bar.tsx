// The bar of unsaved changes: how many there are, save (also Ctrl+S), discard, and what each of them is. After a conflict it shows three
// columns: mine, what is there now, and what was there before.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { linkTo } from '../address/address.ts'
import type { Failure } from '../api/client.ts'
import { titleOf, typeAt } from '../api/model.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { printValue } from '../rows/cell.tsx'
import { texts } from '../texts.ts'
import { WhyButton, WhyRulesButton } from '../why/why-button.tsx'
import {
  changeCount,
  type Draft,
  discard,
  discardAll,
  drafts,
  isNested,
  removeChange,
  touchedFields,
} from './drafts.ts'
import { isSaving, refusedParts, resolve, saveAll, saveFailure } from './save.ts'

export function ChangeBar() {
  const isOpen = useSignal(false)
  const isSaved = useSignal(false)
  const all = [...drafts.value.values()]
  const hasConflict = all.some(({ conflict }) => conflict !== undefined)
  const save = async () => {
    isSaved.value = await saveAll()
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      void save()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  if (all.length === 0)
    return (
      <p role="status" class="visually-hidden">
        {isSaved.value ? texts.saved : ''}
      </p>
    )
  return (
    <section class="change-bar" aria-label={texts.unsaved}>
      {(isOpen.value || hasConflict) && (
        <div class="changes">
          {hasConflict && <p role="alert">{texts.conflict}</p>}
          {all.map((draft) => (
            <DraftView key={draft.key} draft={draft} />
          ))}
        </div>
      )}
      {!hasConflict && <FailureNote failure={saveFailure.value} />}
      {!hasConflict && saveFailure.value !== null && <RefusedParts failure={saveFailure.value} />}
      <div class="actions">
        <span role="status">{texts.changes(changeCount.value, all.length)}</span>
        <span class="spacer" />
        <button
          type="button"
          class="button"
          aria-expanded={isOpen.value || hasConflict}
          onClick={() => {
            isOpen.value = !isOpen.value
          }}
        >
          {texts.review}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            saveFailure.value = null
            discardAll()
          }}
        >
          {texts.discard}
        </button>
        <button
          type="button"
          class="button primary"
          disabled={isSaving.value || hasConflict}
          onClick={() => void save()}
        >
          {isSaving.value ? texts.saving : texts.save}
        </button>
      </div>
    </section>
  )
}

/** Why the rules refuse what could not be saved. */
function RefusedParts({ failure }: { failure: Failure }) {
  return refusedParts(failure).map(({ draft: { key, path, id, label }, field }) => {
    const type = typeAt(path)
    if (type === undefined) return null
    const subject = field === null ? label : `${label}, ${titleOf(field)}`
    return (
      <p key={`${key} ${field}`}>
        {subject}{' '}
        {id === null ? (
          <WhyRulesButton type={type.name} actions={['CREATE']} field={field} subject={subject} />
        ) : (
          <WhyButton type={type} row={{ id }} action="UPDATE" field={field} subject={subject} />
        )}
      </p>
    )
  })
}

function DraftView({ draft }: { draft: Draft }) {
  const { conflict } = draft
  const isGone = conflict !== undefined && conflict.version === null
  return (
    <article>
      <h3>
        {isNested(draft) ? draft.label : <a href={linkTo([draft.path, draft.id ?? '+new'])}>{draft.label}</a>}{' '}
        <button
          type="button"
          class="button quiet"
          aria-label={`${texts.discard} ${draft.label}`}
          onClick={() => discard(draft)}
        >
          ×
        </button>
      </h3>
      {isGone && <p>{texts.rowGone}</p>}
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.field}</th>
            <th scope="col">{texts.mine}</th>
            {conflict !== undefined && <th scope="col">{texts.now}</th>}
            <th scope="col">{texts.before}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {touchedFields(draft).map((field) => (
            <tr key={field}>
              <th scope="row">{titleOf(field)}</th>
              <td>{printMine(draft, field)}</td>
              {conflict !== undefined && (
                <td>{Object.hasOwn(conflict.now, field) ? print(conflict.now[field]) : '='}</td>
              )}
              <td>{print(draft.before[field])}</td>
              <td class="actions">
                {conflict !== undefined && Object.hasOwn(conflict.now, field) ? (
                  <>
                    <button type="button" class="button" onClick={() => resolve(draft, field, 'mine')}>
                      {texts.keepMine}
                    </button>
                    <button type="button" class="button" onClick={() => resolve(draft, field, 'theirs')}>
                      {texts.takeTheirs}
                    </button>
                  </>
                ) : (
                  <button
                    type="button"
                    class="button quiet"
                    aria-label={texts.discardField(titleOf(field))}
                    onClick={() => removeChange(draft, field)}
                  >
                    ×
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>
  )
}

function printMine({ labels, unparsed, changes, nested }: Draft, field: string): string {
  if (field === 'password') return '•••'
  const rows = nested[field]?.map((key) => drafts.value.get(key)?.label)
  return rows?.join(', ') ?? print(labels[field] ?? unparsed[field] ?? changes[field])
}

function print(value: unknown): string {
  return value === null || value === undefined ? texts.empty : printValue(value)
}
