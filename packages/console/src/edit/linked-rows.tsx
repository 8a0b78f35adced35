// The links of a many-to-many list: a row that is there is added by its name, a link is taken away. Both are changes of the row like any
// other: `_tags` with `connect` and `disconnect` (docs/reference/rest.md, R59).

import { useId } from 'preact/hooks'
import { type FieldModel, innerType, titleOf, typeNamed } from '../api/model.ts'
import { texts } from '../texts.ts'
import { type DraftTarget, draftAt, put, removeChange, setField } from './drafts.ts'
import { ReferencePicker } from './reference-picker.tsx'

const sides = ['connect', 'disconnect'] as const
type Side = (typeof sides)[number]

/** The ids of the rows. A new row takes no empty lists. */
type Links = { readonly [side in Side]?: readonly string[] }

export function mayLink({ kind, inverse, type, create, update }: FieldModel, { id }: DraftTarget): boolean {
  const right = id === null ? create : update
  return kind === 'list' && inverse === undefined && right !== 'none' && typeNamed(innerType(type))?.kind === 'rows'
}

/** Adds or takes away a link, or takes this back. The server disconnects first, so a row is never on both sides. */
function toggleLink(target: DraftTarget, field: FieldModel, side: Side, id: string, name: string): void {
  const key = keyOf(field)
  const former = linksOf(target, field)
  const isKnown = sides.some((one) => former[one]?.includes(id))
  const entries = sides.map((one): [Side, readonly string[]] => {
    const others = former[one]?.filter((other) => other !== id) ?? []
    return [one, one === side && !isKnown ? [...others, id] : others]
  })
  const links: Links = Object.fromEntries(entries.filter(([, ids]) => ids.length > 0))
  if (Object.keys(links).length === 0) {
    removeChange(draftAt(target)!, key)
    return
  }
  const labels = { ...draftAt(target)?.labels, [labelKey(field, id)]: name }
  const print = (of: Side, sign: string) => (links[of] ?? []).map((one) => `${sign} ${labels[labelKey(field, one)]}`)
  setField(target, key, '', links)
  const text = [...print('connect', '+'), ...print('disconnect', '−')].join(', ')
  put({ ...draftAt(target)!, labels: { ...labels, [key]: text } })
}

function isLinked(target: DraftTarget, field: FieldModel, side: Side, id: string): boolean {
  return linksOf(target, field)[side]?.includes(id) === true
}

/** What was added, and a box that finds more. */
export function AddedLinks({ target, field }: { target: DraftTarget; field: FieldModel }) {
  const pickerId = useId()
  const list = titleOf(field.name)
  return (
    <>
      {linksOf(target, field).connect?.map((id) => (
        <LinkChip
          key={id}
          {...{ target, field, id }}
          side="connect"
          name={draftAt(target)!.labels[labelKey(field, id)]!}
        />
      ))}
      <ReferencePicker
        field={{ ...field, kind: 'reference', type: innerType(field.type) }}
        shown=""
        common={{ id: pickerId, 'aria-label': texts.addTo(list), 'aria-invalid': false }}
        onPick={(id, name) => {
          if (!isLinked(target, field, 'connect', id)) toggleLink(target, field, 'connect', id, name)
        }}
      />
    </>
  )
}

interface LinkChipProps {
  target: DraftTarget
  field: FieldModel
  side: Side
  id: string
  name: string
  /** Of a row that is in the list. */
  href?: string
}

/** A row of the list, or one that was added, with a button that takes it away. */
export function LinkChip({ target, field, side, id, name, href }: LinkChipProps) {
  const isGone = side === 'disconnect' && isLinked(target, field, side, id)
  const text = href === undefined ? name : <a href={href}>{name}</a>
  return (
    <span class="chip">
      {isGone ? <del>{text}</del> : side === 'connect' ? <ins>{text}</ins> : text}
      <button
        type="button"
        aria-label={texts.removeFrom(name, titleOf(field.name))}
        aria-pressed={side === 'disconnect' ? isGone : undefined}
        onClick={() => toggleLink(target, field, side, id, name)}
      >
        ×
      </button>
    </span>
  )
}

function linksOf(target: DraftTarget, field: FieldModel): Links {
  return (draftAt(target)?.changes[keyOf(field)] ?? {}) as Links
}

function keyOf({ name }: FieldModel): string {
  return `_${name}`
}

function labelKey(field: FieldModel, id: string): string {
  return `${keyOf(field)} ${id}`
}
