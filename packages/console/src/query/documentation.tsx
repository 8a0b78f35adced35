// The documentation of the name under the cursor, and of any type: texts of the schema, as text.

import { useSignal } from '@preact/signals'
import type { Candidate } from './analyse.ts'
import { queryTexts } from './query-texts.ts'
import {
  type GraphqlSchema,
  type InputDefinition,
  namedType,
  printType,
  type TypeDefinition,
  type TypeRef,
} from './schema.ts'

interface DocumentationProps {
  schema: GraphqlSchema
  /** Null: the cursor is on no name of the schema. */
  candidate: Candidate | null
  /** The types that were opened by hand, the last one shown. */
  trail: readonly string[]
  onTrail(trail: readonly string[]): void
}

export function Documentation({ schema, candidate, trail, onTrail }: DocumentationProps) {
  const open = (name: string) => onTrail([...trail, name])
  const shown = trail.at(-1)
  const type = shown === undefined ? undefined : schema.types.get(shown)
  return (
    <aside class="documentation" aria-label={queryTexts.documentation}>
      {trail.length > 0 && (
        <button type="button" class="button" onClick={() => onTrail(trail.slice(0, -1))}>
          {queryTexts.back}
        </button>
      )}
      {type !== undefined ? (
        <TypeText key={type.name} type={type} onOpen={open} />
      ) : candidate === null ? (
        <>
          <p class="note">{queryTexts.documentationHint}</p>
          {Object.values(schema.roots).map(
            (root) => root && <TypeButton key={root.name} name={root.name} onOpen={open} />,
          )}
        </>
      ) : (
        <CandidateText candidate={candidate} schema={schema} onOpen={open} />
      )}
    </aside>
  )
}

interface OpenProps {
  onOpen(name: string): void
}

function CandidateText({ candidate, schema, onOpen }: OpenProps & { candidate: Candidate; schema: GraphqlSchema }) {
  const { name, type, description, deprecated, field } = candidate
  const inner = type.replaceAll(/ = .*|[[\]!]/g, '')
  const own = schema.types.get(candidate.kind === 'type' ? name : inner)
  return (
    <>
      <h3 class="code">{name}</h3>
      <Description text={description} deprecated={deprecated} />
      {field !== undefined && <Inputs title={queryTexts.arguments} inputs={field.args} onOpen={onOpen} />}
      {type !== '' && <p class="code">{type}</p>}
      {own !== undefined && (
        <>
          <TypeButton name={own.name} onOpen={onOpen} />
          <Description text={own.description} deprecated={null} />
        </>
      )}
    </>
  )
}

function Description({ text, deprecated }: { text: string | null; deprecated: string | null }) {
  return (
    <>
      {text !== null && <p class="description">{text}</p>}
      {deprecated !== null && <p class="note mistake">{queryTexts.deprecated(deprecated)}</p>}
    </>
  )
}

function TypeButton({ name, onOpen }: OpenProps & { name: string }) {
  return (
    <button type="button" class="button code" onClick={() => onOpen(name)}>
      {name}
    </button>
  )
}

/** `[Post!]!` with a button for its name. */
function TypeName({ type, onOpen }: OpenProps & { type: TypeRef }) {
  return (
    <button type="button" class="link code" onClick={() => onOpen(namedType(type))}>
      {printType(type)}
    </button>
  )
}

function Inputs({ title, inputs, onOpen }: OpenProps & { title: string; inputs: readonly InputDefinition[] }) {
  if (inputs.length === 0) return null
  return (
    <>
      <h4>{title}</h4>
      <ul class="answers">
        {inputs.map(({ name, type, defaultValue, description, isDeprecated, deprecationReason }) => (
          <li key={name}>
            <span class="code">{name}: </span>
            <TypeName type={type} onOpen={onOpen} />
            {defaultValue !== null && <span class="code"> = {defaultValue}</span>}
            <Description text={description} deprecated={isDeprecated ? (deprecationReason ?? '') : null} />
          </li>
        ))}
      </ul>
    </>
  )
}

const maxShown = 100

function TypeText({ type, onOpen }: OpenProps & { type: TypeDefinition }) {
  const wanted = useSignal('')
  const { name, description, possibleTypes } = type
  const matches = (one: { name: string }) => one.name.toLowerCase().includes(wanted.value.trim().toLowerCase())
  const fields = (type.fields ?? []).filter(matches)
  const inputs = (type.inputFields ?? []).filter(matches)
  const values = (type.enumValues ?? []).filter(matches)
  const left = Math.max(fields.length, inputs.length, values.length) - maxShown
  return (
    <>
      <h3 class="code">{name}</h3>
      <Description text={description} deprecated={null} />
      {Math.max(type.fields?.length ?? 0, type.inputFields?.length ?? 0, type.enumValues?.length ?? 0) > 15 && (
        <input
          type="search"
          aria-label={queryTexts.find}
          placeholder={queryTexts.find}
          value={wanted.value}
          onInput={(event) => {
            wanted.value = event.currentTarget.value
          }}
        />
      )}
      {fields.length > 0 && <h4>{queryTexts.fields}</h4>}
      <ul class="answers">
        {fields.slice(0, maxShown).map((field) => (
          <li key={field.name}>
            <span class="code">
              {field.name}
              {field.args.length > 0 && `(${field.args.map((one) => one.name).join(', ')})`}:{' '}
            </span>
            <TypeName type={field.type} onOpen={onOpen} />
            <Description
              text={field.description}
              deprecated={field.isDeprecated ? (field.deprecationReason ?? '') : null}
            />
          </li>
        ))}
      </ul>
      <Inputs title={queryTexts.fields} inputs={inputs.slice(0, maxShown)} onOpen={onOpen} />
      {values.length > 0 && <h4>{queryTexts.values}</h4>}
      <ul class="answers">
        {values.slice(0, maxShown).map((value) => (
          <li key={value.name}>
            <span class="code">{value.name}</span>
            <Description
              text={value.description}
              deprecated={value.isDeprecated ? (value.deprecationReason ?? '') : null}
            />
          </li>
        ))}
      </ul>
      {left > 0 && <p class="note">{queryTexts.moreNames(left)}</p>}
      {possibleTypes !== null && possibleTypes.length > 0 && <h4>{queryTexts.possibleTypes}</h4>}
      {possibleTypes?.map((one) => (
        <TypeButton key={one.name} name={one.name!} onOpen={onOpen} />
      ))}
    </>
  )
}
