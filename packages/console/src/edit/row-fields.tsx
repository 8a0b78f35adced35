// The fields of a form, and the rows that are created along with its row: that of a reference, and those of lists. Each is a draft of its
// own, so it stays like any other change, and is a part of the same transaction.

import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type FieldModel, innerType, model, type TypeModel, titleOf, typeAt, typeNamed } from '../api/model.ts'
import { type Row, referredBy } from '../api/row.ts'
import { ReferenceLink } from '../rows/cell.tsx'
import { texts } from '../texts.ts'
import { addNested, type DraftTarget, discard, draftAt, drafts, setField, setUnparsed } from './drafts.ts'
import { FieldInput } from './field-input.tsx'
import { AddedLinks, mayLink } from './linked-rows.tsx'
import { newRowTarget } from './new-row.ts'
import { passwordType } from './typed-text.ts'
import { writtenValue } from './written-value.ts'

interface RowFieldProps {
  field: FieldModel
  row: Row | null
  target: DraftTarget
  locked: string | null
  isRequired?: boolean
}

export function RowField({ field, row, target, locked, isRequired = false }: RowFieldProps) {
  const draft = draftAt(target)
  const before = row === null ? null : writtenValue(field, row[field.name])
  const hasNew = draft?.nested[field.name] !== undefined
  const isChanged = draft !== undefined && (hasNew || Object.hasOwn(draft.changes, field.name))
  const referred = row === null ? null : referredBy(field, row[field.name])
  const label = draft?.labels[field.name] ?? referred?.label ?? ''
  return (
    <NewRows field={field} target={target} before={before} isLocked={locked !== null}>
      {(newButtons) => (
        <>
          <FieldInput
            field={field}
            value={hasNew ? undefined : isChanged ? draft.changes[field.name] : before}
            label={hasNew ? texts.createdAlong : isChanged ? label : (referred?.label ?? '')}
            isRequired={isRequired}
            isChanged={isChanged}
            unparsed={draft?.unparsed[field.name]}
            error={draft?.errors[field.name]}
            locked={locked}
            beside={newButtons}
            onValue={(value, picked) => setField(target, field.name, before, value, picked)}
            onUnparsed={(text) => setUnparsed(target, field.name, text)}
          />
          {field.kind === 'reference' && referred !== null && typeNamed(referred.type) !== undefined && (
            <p class="note">
              → <ReferenceLink field={field} value={row![field.name]} tabIndex={0} />
            </p>
          )}
        </>
      )}
    </NewRows>
  )
}

interface NewRowsProps {
  /** A reference or a list. */
  field: FieldModel
  target: DraftTarget
  before: unknown
  isLocked: boolean
  children(newButtons: ComponentChildren): ComponentChildren
}

/** The draft that was begun just now, and gets the focus. */
let begun: string | null = null

/** Puts buttons beside a reference or a list, and the rows that they began below it. */
export function NewRows({ field, target, before, isLocked, children }: NewRowsProps) {
  const box = useRef<HTMLDivElement>(null)
  const keys = draftAt(target)?.nested[field.name] ?? []
  const mayAdd = !isLocked && (field.kind === 'list' || keys.length === 0)
  const buttons = (mayAdd ? creatableTypes(field) : []).map((type) => (
    <button
      key={type.name}
      type="button"
      class="button new-row"
      onClick={() => {
        begun = addNested(target, field, before, newRowTarget(type))
      }}
    >
      {texts.newRow(type.name)}
    </button>
  ))
  return (
    <div ref={box}>
      {children(buttons.length === 0 ? null : buttons)}
      {keys.map((key) => (
        <NestedRow
          key={key}
          draftKey={key}
          without={field.inverse}
          onRemoved={() => box.current!.querySelector<HTMLElement>('.new-row')?.focus()}
        />
      ))}
    </div>
  )
}

/** The types whose rows this reference or list can get by a create. */
function creatableTypes(field: FieldModel): TypeModel[] {
  const to = field.kind === 'reference' || field.kind === 'list' ? typeNamed(innerType(field.type)) : undefined
  if (to === undefined || (field.kind === 'list' && !mayGrow(field, to))) return []
  const types =
    to.kind === 'abstract' && field.kind === 'reference'
      ? (to.members ?? []).flatMap((name) => typeNamed(name) ?? [])
      : [to]
  return types.filter(({ kind, create }) => kind === 'rows' && create !== 'none')
}

function mayGrow({ inverse, update }: FieldModel, to: TypeModel): boolean {
  if (inverse === undefined) return update !== 'none'
  return to.fields.some(({ name, create }) => name === inverse && create !== 'none')
}

interface NestedRowProps {
  draftKey: string
  /** The field that refers to the row of the form. */
  without: string | undefined
  onRemoved(): void
}

function NestedRow({ draftKey, without, onRemoved }: NestedRowProps) {
  const box = useRef<HTMLFieldSetElement>(null)
  const draft = drafts.value.get(draftKey)
  const type = draft && typeAt(draft.path)
  // Before the next key arrives.
  useLayoutEffect(() => {
    if (begun !== draftKey) return
    begun = null
    box.current!.querySelector<HTMLElement>('input, select, textarea')?.focus()
  }, [])
  if (draft === undefined || type === undefined) return null
  return (
    <fieldset ref={box} class="nested">
      <legend>{draft.label}</legend>
      <NewRowFields type={type} target={{ ...newRowTarget(type), nestedKey: draftKey }} without={without} />
      <button
        type="button"
        class="button"
        onClick={() => {
          discard(draft)
          onRemoved()
        }}
      >
        {texts.removeNew(type.name)}
      </button>
    </fieldset>
  )
}

interface NewRowFieldsProps {
  type: TypeModel
  target: DraftTarget
  without?: string | undefined
}

/** What a create takes: fields, and new rows of lists. */
export function NewRowFields({ type, target, without }: NewRowFieldsProps) {
  const fields = type.fields.filter(
    ({ name, kind, create, transitions }) =>
      kind !== 'list' && create !== 'none' && transitions === undefined && name !== without,
  )
  const lists = type.fields.filter(
    (field) => field.kind === 'list' && (creatableTypes(field).length > 0 || mayLink(field, target)),
  )
  const isAccount = model.value?.signIn?.type === type.name
  return (
    <>
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
      {lists.map((field) => (
        <NewRows key={field.name} field={field} target={target} before={undefined} isLocked={false}>
          {(newButtons) => (
            <div class="field" role="group" aria-label={titleOf(field.name)}>
              <strong>{titleOf(field.name)}</strong>{' '}
              <span class="field-value">
                {newButtons}
                {mayLink(field, target) && <AddedLinks target={target} field={field} />}
              </span>
            </div>
          )}
        </NewRows>
      ))}
    </>
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
