// The inputs of the arguments of a custom operation, made from their types. An input object is a group of inputs.

import { useSignal } from '@preact/signals'
import { type ArgumentModel, type FieldModel, model, titleOf } from '../api/model.ts'
import { FieldInput } from '../edit/field-input.tsx'
import { texts } from '../texts.ts'
import type { ArgumentValues } from './call-operation.ts'

interface ArgumentFieldsProps {
  fields: readonly ArgumentModel[]
  values: ArgumentValues
  /** What the server said, by path: `than.min`. */
  errors: Readonly<Record<string, string>>
  /** The path of the object that the fields are in, with a dot; empty for arguments. */
  within: string
  onValues(values: ArgumentValues): void
  /** How many texts are no value yet. */
  onUnparsed(change: 1 | -1): void
}

export function ArgumentFields({ fields, values, errors, within, onValues, onUnparsed }: ArgumentFieldsProps) {
  const set = (name: string, value: unknown) => {
    const { [name]: _, ...others } = values
    onValues(value === null ? others : { ...others, [name]: value })
  }
  return (
    <>
      {fields.map((argument) => {
        const { name } = argument
        const input = model.value!.values.find((one) => one.name === argument.type)
        const path = within + name
        if (input === undefined)
          return (
            <ArgumentInput
              key={name}
              argument={argument}
              value={values[name] ?? null}
              error={errors[path]}
              onValue={(value) => set(name, value)}
              onUnparsed={onUnparsed}
            />
          )
        const inner = (values[name] ?? {}) as ArgumentValues
        return (
          <fieldset key={name} class="nested">
            <legend>{titleOf(name)}</legend>
            {input.oneOf && <p class="note">{texts.oneOf}</p>}
            {errors[path] !== undefined && <p class="note mistake">{errors[path]}</p>}
            <ArgumentFields
              fields={input.fields}
              values={inner}
              errors={errors}
              within={`${path}.`}
              onValues={(next) => set(name, Object.keys(next).length === 0 ? null : next)}
              onUnparsed={onUnparsed}
            />
          </fieldset>
        )
      })}
    </>
  )
}

interface ArgumentInputProps {
  argument: ArgumentModel
  value: unknown
  error: string | undefined
  onValue(value: unknown): void
  onUnparsed(change: 1 | -1): void
}

function ArgumentInput({ argument, value, error, onValue, onUnparsed }: ArgumentInputProps) {
  const unparsed = useSignal<string | undefined>(undefined)
  const label = useSignal(value === null ? '' : String(value))
  const isTouched = useSignal(false)
  const keep = (text: string | undefined) => {
    if ((text === undefined) !== (unparsed.value === undefined)) onUnparsed(text === undefined ? -1 : 1)
    unparsed.value = text
    isTouched.value = true
  }
  return (
    <FieldInput
      field={fieldOf(argument)}
      value={value}
      label={label.value}
      isRequired={argument.required && argument.default === undefined}
      isChanged={isTouched.value}
      unparsed={unparsed.value}
      error={error}
      locked={null}
      onValue={(next, picked) => {
        keep(undefined)
        label.value = picked ?? ''
        onValue(next)
      }}
      onUnparsed={keep}
    />
  )
}

/** As a field of a form: the id of a row is picked, a file is uploaded. */
function fieldOf({ name, description, type, required, constraint, row }: ArgumentModel): FieldModel {
  return {
    name,
    description,
    kind: row === undefined ? 'value' : 'reference',
    type: row ?? (type === 'Upload' ? 'File' : type),
    required,
    ...(constraint !== undefined && { constraint }),
    shown: false,
    read: 'all',
    operators: [],
    sort: false,
    create: required ? 'required' : 'all',
    update: 'all',
  }
}
