// The states that can follow the state of a row, as buttons. One that the user can't choose now is disabled.

import { useSignal } from '@preact/signals'
import { isReadOnly } from '../api/acting.ts'
import { client, type Failure, failureOf } from '../api/client.ts'
import { type FieldModel, type TypeModel, titleOf } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { texts } from '../texts.ts'
import { WhyButton } from '../why/why-button.tsx'
import { draftOf } from './drafts.ts'
import { written } from './save.ts'

export function transitionsName(field: string): string {
  return `_${field}Transitions`
}

export function StateButtons({ type, field, row }: { type: TypeModel; field: FieldModel; row: Row }) {
  const failure = useSignal<(Failure & { next: string }) | null>(null)
  const state = row[field.name]
  if (state === undefined || state === null) return null
  const open = (row[transitionsName(field.name)] ?? []) as readonly string[]
  const known = field.transitions?.[String(state)] ?? []
  // The row would get another version below the changes that are not saved.
  const isTouched = draftOf(type.path, row.id) !== undefined
  const move = async (next: string) => {
    try {
      const headers = { 'if-match': `"${row._version}"` }
      await client.rest.patch(`/${type.path}/${encodeURIComponent(row.id)}`, { [field.name]: next }, { headers })
      failure.value = null
      written.value = [{ path: type.path, id: row.id, isNew: false }]
    } catch (error) {
      failure.value = { ...failureOf(error), next }
    }
  }
  const whyNot = (next: string) => (
    <WhyButton type={type} row={row} action="UPDATE" field={field.name} to={next} subject={next} />
  )
  return (
    <div class="states" role="group" aria-label={titleOf(field.name)}>
      <span class="badge">{String(state)}</span>
      {[...new Set([...open, ...known])].map((next) => {
        const hindrance = isReadOnly ? texts.onlyReads : isTouched ? texts.unsavedFirst : null
        const reason = hindrance ?? (open.includes(next) ? null : texts.cannotMove(next))
        return (
          <span key={next}>
            <button
              type="button"
              class="button"
              disabled={reason !== null}
              title={reason ?? undefined}
              onClick={() => void move(next)}
            >
              {texts.moveTo(next)}
            </button>
            {reason !== null && hindrance === null && whyNot(next)}
          </span>
        )
      })}
      <FailureNote failure={failure.value}>{failure.value !== null && whyNot(failure.value.next)}</FailureNote>
    </div>
  )
}
