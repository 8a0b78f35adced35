// The form of a new filter: a field, also through references and lists, one of its operators, and a value.

import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { enumNamed, type FieldModel, type TypeModel, titleOf } from '../api/model.ts'
import { ReferencePicker } from '../edit/reference-picker.tsx'
import { parseText } from '../edit/typed-text.ts'
import { texts } from '../texts.ts'
import { type Filter, filteredField, filterPaths } from './rows-query.ts'

/** A reference is compared by its id. */
const referenceOperators = ['eq', 'ne', 'in', 'isNull']

function operatorsOf(field: FieldModel | undefined): readonly string[] {
  if (field === undefined) return []
  const operators = field.kind === 'reference' ? referenceOperators : field.operators
  return operators.includes('icontains') ? ['icontains', ...operators.filter((one) => one !== 'icontains')] : operators
}

export function FilterForm({ type, onAdd }: { type: TypeModel; onAdd(filter: Filter): void }) {
  const paths = filterPaths(type, (field) => field.kind === 'reference' || field.operators.length > 0)
  const path = useSignal(type.label ?? paths[0] ?? 'id')
  const operator = useSignal('')
  const value = useSignal('')
  const field = filteredField(type, path.value)
  const operators = operatorsOf(field)
  const chosen = operators.includes(operator.value) ? operator.value : (operators[0] ?? 'eq')
  const valueId = useId()
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        const isFlag = chosen === 'isNull'
        onAdd({ path: path.value, operator: chosen, value: value.value || (isFlag ? 'true' : '') })
        value.value = ''
      }}
    >
      <label>
        {texts.field}
        <select
          value={path.value}
          onChange={(event) => {
            path.value = event.currentTarget.value
            value.value = ''
          }}
        >
          {paths.map((one) => (
            <option key={one} value={one}>
              {titleOf(one)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {texts.operator2}
        <select
          value={chosen}
          onChange={(event) => {
            operator.value = event.currentTarget.value
            value.value = ''
          }}
        >
          {operators.map((one) => (
            <option key={one} value={one}>
              {texts.operators[one] ?? one}
            </option>
          ))}
        </select>
      </label>
      <label for={valueId}>{texts.value}</label>
      <FilterValue
        key={`${path.value} ${chosen}`}
        {...{ field, operator: chosen, id: valueId }}
        value={value.value}
        onValue={(next) => (value.value = next)}
      />
      <button type="submit" class="button primary" disabled={isPicked(field, chosen) && value.value === ''}>
        {texts.apply}
      </button>
    </form>
  )
}

interface FilterValueProps {
  field: FieldModel | undefined
  operator: string
  id: string
  value: string
  onValue(value: string): void
}

/** Operators that compare with one value. */
const single = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte']

function FilterValue({ field, operator, id, value, onValue }: FilterValueProps) {
  const label = useSignal('')
  const typed = useSignal('')
  const choices = choicesOf(field, operator)
  if (choices !== null) {
    const shown = choices.includes(value) ? value : choices[0]!
    if (shown !== value) queueMicrotask(() => onValue(shown))
    return (
      <select id={id} value={shown} onChange={(event) => onValue(event.currentTarget.value)}>
        {choices.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    )
  }
  const isSingle = single.includes(operator)
  if (isPicked(field, operator))
    return (
      <ReferencePicker
        takesId
        field={field}
        shown={label.value}
        common={{ id, 'aria-invalid': false }}
        onPick={(picked, name) => {
          label.value = name
          onValue(picked)
        }}
      />
    )
  // The time that is typed is one of the browser's time zone, and that of the address one in UTC.
  if (field?.type === 'DateTime' && isSingle)
    return (
      <input
        id={id}
        type="datetime-local"
        step="0.001"
        value={typed.value}
        onInput={({ currentTarget: { value: text } }) => {
          typed.value = text
          const parsed = parseText(field, text)
          onValue('value' in parsed && parsed.value !== null ? String(parsed.value) : '')
        }}
      />
    )
  return (
    <input
      id={id}
      {...({ type: field?.type === 'Date' && isSingle ? 'date' : 'text' } as { type: 'text' })}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
      autocomplete="off"
    />
  )
}

function isPicked(field: FieldModel | undefined, operator: string): field is FieldModel & { kind: 'reference' } {
  return field?.kind === 'reference' && single.includes(operator)
}

/** Null: any text. */
function choicesOf(field: FieldModel | undefined, operator: string): readonly string[] | null {
  if (operator === 'isNull' || (field?.type === 'Boolean' && operator === 'eq')) return ['true', 'false']
  const values = operator === 'eq' || operator === 'ne' ? enumNamed(field?.type ?? '')?.values : undefined
  return values?.map(({ name }) => name) ?? null
}
