// Deletes a row, after a question that says what goes along, and whether the server would refuse.

import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { client, type Failure, failureOf } from '../api/client.ts'
import type { TypeModel } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { texts } from '../texts.ts'
import { WhyButton } from '../why/why-button.tsx'
import { discard, draftOf } from './drafts.ts'
import { written } from './save.ts'

interface DeleteButtonProps {
  type: TypeModel
  row: Row
  version: number | null
  onDeleted(): void
}

export function DeleteButton({ type, row, version, onDeleted }: DeleteButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const failure = useSignal<Failure | null>(null)
  const impact = useSignal<readonly string[]>([])
  const isTrying = useSignal(false)
  const name = labelOf(type, row)
  const remove = async () => {
    try {
      const headers: Record<string, string> = version === null ? {} : { 'if-match': `"${version}"` }
      await client.rest.delete(`/${type.path}/${encodeURIComponent(row.id)}`, { headers })
      const draft = draftOf(type.path, row.id)
      if (draft !== undefined) discard(draft)
      dialog.current?.close()
      written.value = [{ path: type.path, id: row.id, isNew: false }]
      onDeleted()
    } catch (error) {
      failure.value = failureOf(error)
    }
  }
  const ask = async () => {
    failure.value = null
    dialog.current!.showModal()
    if (type.kind !== 'rows') return
    isTrying.value = true
    try {
      const { deleteImpact } = await import('../bulk/delete-impact.ts')
      impact.value = await deleteImpact(type, [row.id])
      await client.rest.delete(`/${type.path}?id=${encodeURIComponent(row.id)}&dryRun=true`)
    } catch (error) {
      failure.value = failureOf(error)
    } finally {
      isTrying.value = false
    }
  }
  return (
    <>
      <button type="button" class="button danger" onClick={() => void ask()}>
        {texts.delete}
      </button>
      <dialog ref={dialog} aria-label={texts.deleteQuestion(name)} onKeyDown={(event) => event.stopPropagation()}>
        <p>{texts.deleteQuestion(name)}</p>
        <ul>
          {impact.value.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
        {isTrying.value && <p role="status">{texts.loading}</p>}
        <FailureNote failure={failure.value}>
          <WhyButton {...{ type, row }} action="DELETE" field={null} subject={name} />
        </FailureNote>
        <div class="actions">
          <button type="button" class="button" onClick={() => dialog.current!.close()}>
            {texts.cancel}
          </button>
          <button type="button" class="button danger" disabled={failure.value !== null} onClick={() => void remove()}>
            {type.softDelete ? texts.deleteSoft : texts.deleteNow}
          </button>
        </div>
      </dialog>
    </>
  )
}
