// One row as a form beside the table: its values, its states as buttons, its lists as links. What is typed becomes a draft.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { go } from '../address/address.ts'
import { client, type Failure, failureOf } from '../api/client.ts'
import { type FieldModel, type TypeModel, titleOf } from '../api/model.ts'
import { apiFields, labelOf, type Row, versionField } from '../api/row.ts'
import { RowOperations } from '../call/row-operations.tsx'
import { HistorySection } from '../history/history-section.tsx'
import { FailureNote } from '../page/failure-note.tsx'
import { texts } from '../texts.ts'
import { AccessSection } from '../why/access-section.tsx'
import { WhyButton } from '../why/why-button.tsx'
import { lockOf } from './cell-lock.ts'
import { DeleteButton } from './delete-button.tsx'
import { targetOf } from './drafts.ts'
import { ListChips } from './list-chips.tsx'
import { newRowTarget } from './new-row.ts'
import { RowActions } from './row-actions.tsx'
import { NewRowFields, RowField } from './row-fields.tsx'
import { changedByOthers, written } from './save.ts'
import { StateButtons, transitionsName } from './state-buttons.tsx'

interface RowPanelProps {
  type: TypeModel
  /** Null: a new row. */
  id: string | null
  /** The query of the table, which stays. */
  query: string
}

export function RowPanel({ type, id, query }: RowPanelProps) {
  const row = useSignal<Row | null>(null)
  const failure = useSignal<Failure | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const close = () => go([type.path], query)
  const load = async () => {
    if (id === null) return
    try {
      const path = `/${type.path}/${encodeURIComponent(id)}?fields=${rowFields(type).join(',')}`
      row.value = (await client.rest.get<Row>(path)).data!
      failure.value = null
    } catch (error) {
      failure.value = failureOf(error)
    }
  }
  useEffect(() => {
    row.value = null
    failure.value = null
    void load()
    heading.current?.focus()
  }, [type.path, id])
  useEffect(() => {
    const ours = written.value.find(({ path, isNested }) => path === type.path && isNested === undefined)
    if (ours?.isNew && id === null) go([type.path, ours.id], query)
    else if (written.value.some((one) => one.path === type.path && one.id === id)) void load()
  }, [written.value])
  useEffect(() => {
    if (changedByOthers.value.some((one) => one.path === type.path && one.id === id)) void load()
  }, [changedByOthers.value])

  const title = id === null ? texts.newRow(type.name) : row.value === null ? id : labelOf(type, row.value)
  return (
    <aside
      class="panel"
      aria-label={texts.row}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close()
      }}
    >
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="button quiet" aria-label={texts.close} onClick={close}>
          ×
        </button>
      </header>
      <FailureNote failure={failure.value} />
      {id === null ? (
        <form onSubmit={(event) => event.preventDefault()}>
          <NewRowFields type={type} target={newRowTarget(type)} />
        </form>
      ) : row.value === null ? (
        failure.value === null && <p role="status">{texts.loading}</p>
      ) : (
        <>
          <RowActions type={type} row={row.value} query={query} />
          <RowForm key={id} type={type} row={row.value} onDeleted={close} />
        </>
      )}
    </aside>
  )
}

/** Everything that the user may read of the row itself. */
function rowFields(type: TypeModel): string[] {
  const fields = type.fields.filter(({ kind }) => kind === 'value' || kind === 'reference')
  const states = fields.filter(({ transitions }) => transitions !== undefined).map(({ name }) => transitionsName(name))
  return [...fields.flatMap(apiFields), ...states, ...versionField(type)]
}

function RowForm({ type, row, onDeleted }: { type: TypeModel; row: Row; onDeleted(): void }) {
  const target = targetOf(type, row)
  const { version } = target
  const fields = type.fields.filter(({ kind, name }) => (kind === 'value' || kind === 'reference') && name !== 'id')
  const secret = written.value.find((one) => one.path === type.path && one.id === row.id)?.secret
  return (
    <>
      {secret !== undefined && (
        <p role="status">
          {texts.secretOnce} <code>{secret}</code>
        </p>
      )}
      <p class="dim">
        {texts.id} <code>{row.id}</code>
        {version !== null && ` · ${texts.version(version)}`}
      </p>
      {fields
        .filter(({ transitions }) => transitions !== undefined)
        .map((field) => (
          <StateButtons key={field.name} type={type} field={field} row={row} />
        ))}
      <form onSubmit={(event) => event.preventDefault()}>
        {fields
          .filter(({ transitions }) => transitions === undefined)
          .map((field) => (
            <div key={field.name}>
              <RowField field={field} row={row} target={target} locked={lockOf(type, field, row)} />
              <WhyLocked type={type} field={field} row={row} />
            </div>
          ))}
      </form>
      <RowOperations key={`${row.id} operations`} type={type} row={row} />
      <ListChips key={row.id} type={type} row={row} />
      <HistorySection type={type} row={row} />
      <AccessSection type={type} row={row} />
      {type.delete === 'none' ? (
        <WhyButton type={type} row={row} action="DELETE" field={null} subject={texts.delete} />
      ) : (
        <DeleteButton type={type} row={row} version={version} onDeleted={onDeleted} />
      )}
    </>
  )
}

/** Beside a field that the user can't read or change. */
function WhyLocked({ type, field, row }: { type: TypeModel; field: FieldModel; row: Row }) {
  if (lockOf(type, field, row) === null) return null
  const action = row[field.name] === undefined ? 'READ' : 'UPDATE'
  return <WhyButton type={type} row={row} action={action} field={field.name} subject={titleOf(field.name)} />
}
