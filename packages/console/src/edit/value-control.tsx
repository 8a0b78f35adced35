// The control in which the value of a field is typed or chosen, made from its type. Forms and cells use it.

import { useRef } from 'preact/hooks'
import { type FieldModel, titleOf } from '../api/model.ts'
import { lazy } from '../page/lazy.tsx'
import { texts } from '../texts.ts'
import { ReferencePicker } from './reference-picker.tsx'
import { choicesOf, isJsonText, passwordType } from './typed-text.ts'

const LargeText = lazy(async () => (await import('./large-text.tsx')).LargeText)
/** Characters from which on a text is edited where only the lines in view are in the page. */
const largeText = 50_000

const FileInput = lazy(async () => (await import('./file-input.tsx')).FileInput)

export interface ValueControlProps {
  field: FieldModel
  /** As a write takes it, and as it is typed. */
  value: unknown
  text: string
  /** Of a reference: the label of the row. */
  label: string
  common: ControlAttributes
  onValue(value: unknown, label?: string): void
  onText(text: string): void
}

interface ControlAttributes {
  id: string
  'aria-label'?: string
  'aria-describedby'?: string
  'aria-invalid': boolean
  'aria-required'?: boolean
  disabled?: boolean
}

export function ValueControl({ field, value, text, label, common, onValue, onText }: ValueControlProps) {
  const isLarge = useRef(false) // it stays so, also if the text gets shorter
  isLarge.current ||= text.length > largeText && (isJsonText(field) || field.type === 'String')
  if (field.type === 'File') return <FileInput {...{ label, common, onValue }} />
  if (field.kind === 'reference')
    return <ReferencePicker field={field} shown={label} common={common} onPick={(id, picked) => onValue(id, picked)} />
  if (choicesOf(field) !== null) return <Choice {...common} field={field} value={value} onValue={onValue} />
  if (isLarge.current)
    return <LargeText {...{ text, common, onText }} name={titleOf(field.name)} isCode={isJsonText(field)} />
  if (isJsonText(field) || isLong(field, text))
    return (
      <textarea
        {...common}
        rows={Math.min(12, Math.max(2, text.split('\n').length))}
        class={isJsonText(field) ? 'code' : ''}
        spellcheck={!isJsonText(field)}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    )
  return (
    <input
      {...common}
      {...(inputTypeOf(field) as { type: 'text' })}
      autocomplete={field.type === passwordType ? 'new-password' : 'off'}
      value={text}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  )
}

interface InputType {
  type: 'password' | 'datetime-local' | 'date' | 'email' | 'text'
  step?: string
  inputMode?: 'decimal' | 'numeric'
}

function inputTypeOf({ type, constraint }: FieldModel): InputType {
  if (type === passwordType) return { type: 'password' }
  if (type === 'DateTime') return { type: 'datetime-local', step: '0.001' }
  if (type === 'Date') return { type: 'date' }
  if (type === 'Int' || type === 'BigInt') return { type: 'text', inputMode: 'numeric' }
  if (type === 'Float' || type === 'Decimal') return { type: 'text', inputMode: 'decimal' }
  return { type: constraint?.format === 'email' ? 'email' : 'text' }
}

function isLong({ type, constraint }: FieldModel, text: string): boolean {
  return type === 'String' && (text.includes('\n') || text.length > 120 || (constraint?.maxLength ?? 0) > 200)
}

interface ChoiceProps extends ControlAttributes {
  field: FieldModel
  value: unknown
  onValue(value: unknown): void
}

function Choice({ field, value, onValue, ...common }: ChoiceProps) {
  return (
    <select
      {...common}
      value={value === null || value === undefined ? '' : String(value)}
      onChange={({ currentTarget: { value: chosen } }) => {
        const picked = field.type === 'Boolean' ? chosen === 'true' : chosen
        onValue(chosen === '' ? null : picked)
      }}
    >
      {(!field.required || value === null || value === undefined) && <option value="">{texts.empty}</option>}
      {choicesOf(field)!.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  )
}
