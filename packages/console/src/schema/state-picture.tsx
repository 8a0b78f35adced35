// A state machine: states as boxes, transitions as arrows with who can make them, and the same as a table.

import { useMemo } from 'preact/hooks'
import { Canvas } from './canvas.tsx'
import { characterWidth, place } from './layout.ts'
import type { Schema, SchemaField, SchemaTransition } from './schema-data.ts'
import { LineLink } from './schema-links.tsx'
import { schemaTexts } from './schema-texts.ts'
import { Scrolled } from './scrolled.tsx'

const boxHeight = 32
const maxLabel = 28

export function StatePicture({ schema, field }: { schema: Schema; field: SchemaField }) {
  const transitions = schema.transitionsOf(field.of, field.name)
  const states = schema.fieldsOf(field.to!).map(({ name }) => name)
  const placed = useMemo(
    () =>
      place(
        states.map((name) => ({ name, width: name.length * (characterWidth + 1) + 24, height: boxHeight })),
        transitions.map((transition) => ({ ...transition, label: labelOf(transition) })),
      ),
    [schema, field],
  )
  const path = `${field.of}.${field.name}`
  return (
    <section class="machine" aria-label={schemaTexts.machine(path)}>
      <h4>{schemaTexts.machine(path)}</h4>
      <Canvas label={schemaTexts.machineOf(path, states.length)} width={placed.width} height={placed.height}>
        {placed.arrows.map(({ arrow, path: line, x, y }) => (
          <g key={`${arrow.from} ${arrow.to} ${arrow.rule}`} class="arrow">
            <path d={line} marker-end="url(#arrow-head)" />
            {arrow.label !== '' && (
              <text x={x} y={y - 5} text-anchor="middle">
                {arrow.label}
              </text>
            )}
          </g>
        ))}
        {placed.boxes.map(({ name, x, y, width, height }) => (
          <g key={name} class={name === field.start ? 'state start' : 'state'} transform={`translate(${x},${y})`}>
            <rect class="box" width={width} height={height} rx={height / 2} />
            <text x={width / 2} y={height / 2 + 4} text-anchor="middle">
              {name}
            </text>
          </g>
        ))}
      </Canvas>
      <Scrolled label={`${schemaTexts.machine(path)}: ${schemaTexts.rule}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">{schemaTexts.from}</th>
              <th scope="col">{schemaTexts.to}</th>
              <th scope="col">{schemaTexts.who}</th>
              <th scope="col">{schemaTexts.rule}</th>
            </tr>
          </thead>
          <tbody>
            {transitions.map(({ from, to, who, rule, file, line }) => (
              <tr key={`${from} ${to} ${rule}`}>
                <td>
                  {from}
                  {from === field.start && <span class="dim"> ({schemaTexts.start})</span>}
                </td>
                <td>{to}</td>
                <td>{who || schemaTexts.anybody}</td>
                <td>
                  <code>{rule}</code> <LineLink file={file} line={line} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolled>
    </section>
  )
}

function labelOf({ who }: SchemaTransition): string {
  return who.length > maxLabel ? `${who.slice(0, maxLabel - 1)}…` : who
}
