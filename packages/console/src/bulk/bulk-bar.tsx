// The bar of chosen rows: change a field of all, delete or restore them.

import { useSignal } from '@preact/signals'
import { type FieldModel, type TypeModel, titleOf } from '../api/model.ts'
import { FieldInput } from '../edit/field-input.tsx'
import { Menu } from '../page/menu.tsx'
import { texts } from '../texts.ts'
import { WhyRulesButton } from '../why/why-button.tsx'
import { BulkDialog } from './bulk-dialog.tsx'
import { type BulkAction, maxChosen } from './bulk-request.ts'
import { bulkTexts } from './bulk-texts.ts'

interface BulkBarProps {
  type: TypeModel
  chosen: readonly string[]
  /** The filters of the table; null: its rows are not those of a collection, so only chosen ones can be written. */
  query: string | null
  areDeleted: boolean
  onClear(): void
  onDone(sentence: string): void
}

export function BulkBar({ type, chosen, query, areDeleted, onClear, onDone }: BulkBarProps) {
  const isAll = useSignal(false)
  const action = useSignal<BulkAction | null>(null)
  const fields = type.fields.filter(isChangeable)
  const isTooMany = !isAll.value && chosen.length > maxChosen
  const button = (kind: 'delete' | 'restore' | 'purge', text: string) => (
    <button type="button" class="button" disabled={isTooMany} onClick={() => (action.value = { kind })}>
      {text}
    </button>
  )
  return (
    <div class="bulk-bar" role="group" aria-label={bulkTexts.chosen(chosen.length)}>
      <span role="status">
        {isTooMany
          ? bulkTexts.tooManyChosen(maxChosen)
          : isAll.value
            ? bulkTexts.chosenAll
            : bulkTexts.chosen(chosen.length)}
      </span>
      {query !== null && !isAll.value && (
        <button type="button" class="button" onClick={() => (isAll.value = true)}>
          {bulkTexts.chooseAll}
        </button>
      )}
      <button type="button" class="button" onClick={onClear}>
        {bulkTexts.clearChoice}
      </button>
      {areDeleted ? (
        <>
          {button('restore', bulkTexts.restoreChosen)}
          {button('purge', bulkTexts.purgeChosen)}
        </>
      ) : (
        <>
          {type.update === 'none' && (
            <WhyRulesButton type={type.name} actions={['UPDATE']} subject={bulkTexts.changeChosen} />
          )}
          {type.update !== 'none' && fields.length > 0 && (
            <Menu title={bulkTexts.changeChosen}>
              {(close) => (
                <ChangeForm
                  fields={fields}
                  onTry={(name, value) => {
                    close()
                    action.value = { kind: 'update', changes: { [name]: value } }
                  }}
                />
              )}
            </Menu>
          )}
          {type.delete === 'none' ? (
            <WhyRulesButton type={type.name} actions={['DELETE']} subject={bulkTexts.deleteChosen} />
          ) : (
            button('delete', bulkTexts.deleteChosen)
          )}
        </>
      )}
      {action.value !== null && (
        <BulkDialog
          action={action.value}
          target={{ type, ids: isAll.value ? null : chosen, query: query ?? '', areDeleted }}
          onClose={(done) => {
            action.value = null
            if (done !== null) onDone(done)
          }}
        />
      )}
    </div>
  )
}

/** States change row by row: each has its own transitions. */
function isChangeable({ kind, update, name }: FieldModel): boolean {
  return (kind === 'value' || kind === 'reference') && update !== 'none' && name !== 'id'
}

function ChangeForm({ fields, onTry }: { fields: readonly FieldModel[]; onTry(name: string, value: unknown): void }) {
  const name = useSignal(fields[0]!.name)
  const value = useSignal<unknown>(null)
  const label = useSignal('')
  const unparsed = useSignal<string | undefined>(undefined)
  const field = fields.find((one) => one.name === name.value)!
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        onTry(field.name, value.value)
      }}
    >
      <label>
        {texts.field}
        <select
          value={name.value}
          onChange={(event) => {
            name.value = event.currentTarget.value
            value.value = null
            label.value = ''
            unparsed.value = undefined
          }}
        >
          {fields.map((one) => (
            <option key={one.name} value={one.name}>
              {titleOf(one.name)}
            </option>
          ))}
        </select>
      </label>
      <FieldInput
        key={field.name}
        field={field}
        value={value.value}
        label={label.value}
        isRequired={field.required}
        isChanged={value.value !== null}
        unparsed={unparsed.value}
        error={undefined}
        locked={null}
        onValue={(next, picked) => {
          value.value = next
          label.value = picked ?? ''
          unparsed.value = undefined
        }}
        onUnparsed={(text) => {
          unparsed.value = text
        }}
      />
      <button type="submit" class="button primary" disabled={unparsed.value !== undefined}>
        {bulkTexts.check}
      </button>
    </form>
  )
}
