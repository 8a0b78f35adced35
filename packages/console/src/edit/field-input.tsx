// The input of one field, made from its type: it keeps what is typed, also while it is not a value yet.

import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { enumNamed, type FieldModel, titleOf } from '../api/model.ts'
import { texts } from '../texts.ts'
import { mistakeIn } from './check-value.ts'
import { isEqual } from './drafts.ts'
import { ReferencePicker } from './reference-picker.tsx'
import { isJsonText, parseText, passwordType, printText } from './typed-text.ts'

export interface FieldInputProps {
  field: FieldModel
  /** As a write takes it. */
  value: unknown
  /** Of a reference: the label of the row. */
  label: string
  isRequired: boolean
  isChanged: boolean
  /** What was typed and is no value yet. */
  unparsed: string | undefined
  /** What the server said. */
  error: string | undefined
  /** Why it can't be changed; null: it can. */
  locked: string | null
  onValue(value: unknown, label?: string): void
  onUnparsed(text: string): void
}

export function FieldInput(props: FieldInputProps) {
  const { field, value, isRequired, isChanged, unparsed, error, locked, onValue } = props
  const id = useId()
  const typed = useSignal<string | null>(null)
  const mistake = unparsed === undefined ? (isChanged ? mistakeIn(field, value) : null) : mistakeOfText(field, unparsed)
  const shownMistake = mistake ?? error ?? null
  const noteId = `${id}-note`
  const type = (text: string) => {
    typed.value = text
    const next = parseText(field, text)
    if ('value' in next) onValue(next.value)
    else props.onUnparsed(text)
  }
  const common = {
    id,
    'aria-describedby': noteId,
    'aria-invalid': shownMistake !== null,
    'aria-required': isRequired,
    disabled: locked !== null,
  }
  const text = unparsed ?? textOf(field, typed.value, value)
  const mayClear = locked === null && !field.required && value !== null && value !== undefined
  return (
    <div class={`field${isChanged ? ' changed' : ''}`}>
      <label for={id}>
        {titleOf(field.name)}
        {isRequired && <span class="dim"> ({texts.required})</span>}
      </label>
      <div class="field-value">
        {field.kind === 'reference' && locked === null ? (
          <ReferencePicker
            id={id}
            field={field}
            shown={props.label}
            describedBy={noteId}
            isInvalid={shownMistake !== null}
            onPick={(picked, label) => onValue(picked, label)}
          />
        ) : field.kind === 'reference' ? (
          <input {...common} value={props.label} />
        ) : choicesOf(field) !== null ? (
          <Choice {...common} field={field} value={value} onValue={onValue} />
        ) : isJsonText(field) || isLong(field, text) ? (
          <textarea
            {...common}
            rows={Math.min(12, Math.max(2, text.split('\n').length))}
            class={isJsonText(field) ? 'code' : ''}
            spellcheck={!isJsonText(field)}
            value={text}
            onInput={(event) => type(event.currentTarget.value)}
          />
        ) : (
          <input
            {...common}
            {...(inputTypeOf(field) as { type: 'text' })}
            autocomplete={field.type === passwordType ? 'new-password' : 'off'}
            value={text}
            onInput={(event) => type(event.currentTarget.value)}
          />
        )}
        {mayClear && (
          <button
            type="button"
            class="button quiet"
            aria-label={texts.clear(titleOf(field.name))}
            onClick={() => {
              typed.value = null
              onValue(null, '')
            }}
          >
            ×
          </button>
        )}
      </div>
      <p id={noteId} class={shownMistake === null ? 'note' : 'note mistake'}>
        {shownMistake ?? [field.description, locked].filter(Boolean).join(' ')}
      </p>
    </div>
  )
}

/** What was typed, as long as it means this value: `1.` stays while it is 1. */
function textOf(field: FieldModel, typed: string | null, value: unknown): string {
  const parsed = typed === null ? null : parseText(field, typed)
  return parsed !== null && 'value' in parsed && isEqual(parsed.value, value) ? typed! : printText(field, value)
}

function mistakeOfText(field: FieldModel, text: string): string | null {
  const parsed = parseText(field, text)
  return 'mistake' in parsed ? parsed.mistake : null
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

/** The values of an enum or a Boolean; null: any. */
function choicesOf({ type }: FieldModel): readonly string[] | null {
  return type === 'Boolean'
    ? [texts.trueValue, texts.falseValue]
    : (enumNamed(type)?.values.map(({ name }) => name) ?? null)
}

interface ChoiceProps {
  id: string
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
