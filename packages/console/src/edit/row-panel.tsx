// One row as a form beside the table: its values, its states as buttons, its lists as links. What is typed becomes a draft.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { go } from '../address/address.ts'
import { client, type Failure, failureOf } from '../api/client.ts'
import { type FieldModel, model, type TypeModel, titleOf, typeNamed } from '../api/model.ts'
import { apiFields, labelOf, type Row, referredBy, versionField } from '../api/row.ts'
import { HistorySection } from '../history/history-section.tsx'
import { FailureNote } from '../page/failure-note.tsx'
import { ReferenceLink } from '../rows/cell.tsx'
import { texts } from '../texts.ts'
import { AccessSection } from '../why/access-section.tsx'
import { WhyButton } from '../why/why-button.tsx'
import { lockOf } from './cell-lock.ts'
import { DeleteButton } from './delete-button.tsx'
import { type DraftTarget, draftOf, setField, setUnparsed, targetOf } from './drafts.ts'
import { FieldInput } from './field-input.tsx'
import { ListChips } from './list-chips.tsx'
import { newRowTarget } from './new-row.ts'
import { RowActions } from './row-actions.tsx'
import { changedByOthers, written } from './save.ts'
import { StateButtons, transitionsName } from './state-buttons.tsx'
import { passwordType } from './typed-text.ts'
import { writtenValue } from './written-value.ts'

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
    const ours = written.value.find(({ path }) => path === type.path)
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
        <NewRowForm type={type} />
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
  return (
    <>
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

interface RowFieldProps {
  field: FieldModel
  row: Row | null
  target: DraftTarget
  locked: string | null
  isRequired?: boolean
}

function RowField({ field, row, target, locked, isRequired = false }: RowFieldProps) {
  const draft = draftOf(target.path, target.id)
  const before = row === null ? null : writtenValue(field, row[field.name])
  const isChanged = draft !== undefined && Object.hasOwn(draft.changes, field.name)
  const referred = row === null ? null : referredBy(field, row[field.name])
  const label = draft?.labels[field.name] ?? referred?.label ?? ''
  return (
    <>
      <FieldInput
        field={field}
        value={isChanged ? draft.changes[field.name] : before}
        label={isChanged ? label : (referred?.label ?? '')}
        isRequired={isRequired}
        isChanged={isChanged}
        unparsed={draft?.unparsed[field.name]}
        error={draft?.errors[field.name]}
        locked={locked}
        onValue={(value, picked) => setField(target, field.name, before, value, picked)}
        onUnparsed={(text) => setUnparsed(target, field.name, text)}
      />
      {field.kind === 'reference' && referred !== null && typeNamed(referred.type) !== undefined && (
        <p class="note">
          → <ReferenceLink field={field} value={row![field.name]} tabIndex={0} />
        </p>
      )}
    </>
  )
}

function NewRowForm({ type }: { type: TypeModel }) {
  const target = newRowTarget(type)
  const fields = type.fields.filter(
    ({ kind, create, transitions }) => kind !== 'list' && create !== 'none' && transitions === undefined,
  )
  const isAccount = model.value?.signIn?.type === type.name
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      {[...fields, ...(isAccount ? [passwordField] : [])].map((field) => (
        <RowField
          key={field.name}
          field={field}
          row={null}
          target={target}
          locked={null}
          isRequired={field.create === 'required'}
        />
      ))}
    </form>
  )
}

/** A new account needs a password, which is no field of the row. */
const passwordField: FieldModel = {
  name: 'password',
  description: null,
  kind: 'value',
  type: passwordType,
  required: true,
  shown: false,
  read: 'none',
  operators: [],
  sort: false,
  create: 'required',
  update: 'none',
}
