// The input of one field, made from its type: it keeps what is typed, also while it is not a value yet.

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useMemo } from 'preact/hooks'
import { type FieldModel, titleOf } from '../api/model.ts'
import { texts } from '../texts.ts'
import { mistakeIn } from './check-value.ts'
import { isEqual } from './drafts.ts'
import { parseText, printText } from './typed-text.ts'
import { ValueControl } from './value-control.tsx'

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
  /** Buttons beside the control. */
  beside?: ComponentChildren
  onValue(value: unknown, label?: string): void
  onUnparsed(text: string): void
}

export function FieldInput(props: FieldInputProps) {
  const { field, value, isRequired, isChanged, unparsed, error, locked, onValue } = props
  const id = useId()
  const typed = useSignal<string | null>(null)
  // A long text is parsed and printed again only if it has changed.
  const mistake = useMemo(
    () => (unparsed === undefined ? (isChanged ? mistakeIn(field, value) : null) : mistakeOfText(field, unparsed)),
    [field, value, isChanged, unparsed],
  )
  const text = useMemo(() => unparsed ?? textOf(field, typed.value, value), [field, value, unparsed, typed.value])
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
  const mayClear = locked === null && !field.required && value !== null && value !== undefined
  return (
    <div class={`field${isChanged ? ' changed' : ''}`}>
      <label for={id}>
        {titleOf(field.name)}
        {isRequired && <span class="dim"> ({texts.required})</span>}
      </label>
      <div class="field-value">
        {field.kind === 'reference' && locked !== null ? (
          <input {...common} value={props.label} />
        ) : (
          <ValueControl {...{ field, value, text, onValue }} label={props.label} common={common} onText={type} />
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
        {props.beside}
      </div>
      <p id={noteId} class={shownMistake === null ? 'note' : 'note mistake'}>
        {shownMistake ?? [field.description, zoneNote(field, locked), locked].filter(Boolean).join(' ')}
      </p>
    </div>
  )
}

/** A time is typed and shown in the time zone of the browser, and kept in UTC. */
function zoneNote({ type }: FieldModel, locked: string | null): string | null {
  if (type !== 'DateTime' || locked !== null) return null
  return texts.zone(Intl.DateTimeFormat().resolvedOptions().timeZone)
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
