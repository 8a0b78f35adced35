// Types as boxes with their fields, and references as arrows: a chosen type with its neighbours, or all types if they are few.

import { useMemo } from 'preact/hooks'
import { Canvas } from './canvas.tsx'
import { type Box, characterWidth, type PlacedBox, place } from './layout.ts'
import { arrowsOf, drawnTypes, maxTypes, nearTypes } from './neighbours.ts'
import type { Schema, SchemaField } from './schema-data.ts'
import { goToSchema, schemaLink, schemaParameters } from './schema-links.tsx'
import { schemaTexts } from './schema-texts.ts'
import { TypeDetails } from './type-details.tsx'

const lineHeight = 18
const padding = 8
const maxFields = 12
const maxCharacters = 40

export function TypePicture({ schema }: { schema: Schema }) {
  const parameters = schemaParameters()
  const chosen = schema.type(parameters.get('type')) ?? null
  const steps = Math.min(Number(parameters.get('steps') ?? 1) || 0, schemaTexts.distances.length - 1)
  const drawn = useMemo(() => drawnTypes(schema), [schema])
  const arrows = useMemo(() => arrowsOf(schema), [schema])
  const isChosen = chosen !== null && drawn.includes(chosen)
  const near = isChosen ? nearTypes(chosen.name, steps, arrows) : drawn.map(({ name }) => name)
  const isTooMany = !isChosen && drawn.length > maxTypes
  const shown = isTooMany ? [] : near.slice(0, maxTypes)
  const placed = useMemo(
    () =>
      place(
        shown.map((name) => boxOf(name, schema, name === chosen?.name)),
        arrows,
      ),
    [shown.join(), schema, arrows],
  )
  return (
    <>
      <div class="actions">
        <label>
          {schemaTexts.type}{' '}
          <select
            value={isChosen ? chosen.name : ''}
            onChange={(event) => {
              const { value } = event.currentTarget
              goToSchema('picture', value === '' ? {} : { type: value, steps })
            }}
          >
            <option value="">{schemaTexts.allTypes}</option>
            {drawn.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {isChosen && (
          <label>
            {schemaTexts.neighbours}{' '}
            <select
              value={String(steps)}
              onChange={(event) => goToSchema('picture', { type: chosen.name, steps: event.currentTarget.value })}
            >
              {schemaTexts.distances.map((text, distance) => (
                <option key={text} value={String(distance)}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {isTooMany ? (
        <p role="status">{schemaTexts.chooseType(drawn.length)}</p>
      ) : (
        <>
          <Canvas label={schemaTexts.pictureOf(shown.length)} width={placed.width} height={placed.height}>
            {placed.arrows.map(({ arrow, path, x, y }) => (
              <g key={`${arrow.from} ${arrow.to} ${arrow.label}`} class={`arrow ${arrow.kind}`}>
                <path d={path} marker-end="url(#arrow-head)" />
                {arrow.label !== '' && (
                  <text x={x} y={y + 4} text-anchor="middle">
                    {arrow.label}
                  </text>
                )}
              </g>
            ))}
            {placed.boxes.map((box) => (
              <TypeBox key={box.name} box={box} schema={schema} isChosen={box.name === chosen?.name} steps={steps} />
            ))}
          </Canvas>
          <p class="note">
            {schemaTexts.shownOf(shown.length, drawn.length)} {schemaTexts.keys}
          </p>
        </>
      )}
      {isTooMany && (
        <ul class="names">
          {drawn.map(({ name }) => (
            <li key={name}>
              <a href={schemaLink('picture', { type: name, steps })}>{name}</a>
            </li>
          ))}
        </ul>
      )}
      {isChosen && <TypeDetails schema={schema} type={chosen} />}
    </>
  )
}

interface TypeBoxProps {
  box: PlacedBox
  schema: Schema
  isChosen: boolean
  steps: number
}

/** The title is a link. The list has the fields for those who do not see the picture. */
function TypeBox({ box, schema, isChosen, steps }: TypeBoxProps) {
  const type = schema.type(box.name)!
  const { lines, more } = linesOf(box.name, schema, isChosen)
  const parameters = { type: box.name, steps }
  return (
    <g class={`type-box ${type.kind}${isChosen ? ' chosen' : ''}`} transform={`translate(${box.x},${box.y})`}>
      <rect class="box" width={box.width} height={box.height} rx="6" />
      <a
        href={schemaLink('picture', parameters)}
        aria-label={box.name}
        onClick={(event) => {
          if (event.ctrlKey || event.metaKey || event.shiftKey) return
          event.preventDefault()
          goToSchema('picture', parameters)
        }}
      >
        <text class="title" x={padding} y={lineHeight}>
          {box.name}
        </text>
      </a>
      <line class="box" x1="0" x2={box.width} y1={lineHeight + padding} y2={lineHeight + padding} />
      <g>
        {lines.map((line, index) => (
          <text key={line} x={padding} y={padding + lineHeight * (index + 2)}>
            {line}
          </text>
        ))}
        {more > 0 && (
          <text class="more" x={padding} y={padding + lineHeight * (lines.length + 2)}>
            {schemaTexts.moreFields(more)}
          </text>
        )}
      </g>
    </g>
  )
}

function boxOf(name: string, schema: Schema, isChosen: boolean): Box {
  const { lines, more } = linesOf(name, schema, isChosen)
  const longest = Math.max(name.length + 1, ...lines.map(({ length }) => length))
  return {
    name,
    width: longest * characterWidth + 2 * padding,
    height: lineHeight * (1 + lines.length + (more > 0 ? 1 : 0)) + 2 * padding + padding / 2,
  }
}

function linesOf(name: string, schema: Schema, isChosen: boolean): { lines: string[]; more: number } {
  const fields = schema.fieldsOf(name)
  const shown = isChosen ? fields : fields.slice(0, maxFields)
  return { lines: shown.map(lineOf), more: fields.length - shown.length }
}

function lineOf({ name, type }: SchemaField): string {
  const line = `${name}: ${type}`
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line
}
