// The history of a row: every version with who made it, by which client, and each changed field. An earlier version can be put back.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { linkTo } from '../address/address.ts'
import { type Failure, failureOf } from '../api/client.ts'
import { fieldNamed, type TypeModel, titleOf, typeNamed } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { draftOf } from '../edit/drafts.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { cellValue, printTime, printValue } from '../rows/cell.tsx'
import { texts } from '../texts.ts'
import { refusedFields } from '../why/access.ts'
import { WhyButton } from '../why/why-button.tsx'
import { Authors } from './authors.tsx'
import { type ChangesPage, type FieldChange, putBack, type RowChange, readChanges } from './changes.ts'
import { labelKey, type RowLabels, readLabels } from './row-labels.ts'
import { textChange } from './text-change.ts'

export function RowHistory({ type, row }: { type: TypeModel; row: Row }) {
  const page = useSignal<ChangesPage>({ changes: [], next: null })
  const labels = useSignal<RowLabels>(new Map())
  const failure = useSignal<Failure | null>(null)
  const revertFailure = useSignal<Failure | null>(null)
  const isLoaded = useSignal(false)
  const attempt = async (action: () => Promise<void>) => {
    try {
      failure.value = null
      await action()
    } catch (error) {
      failure.value = failureOf(error)
    }
    isLoaded.value = true
  }
  const load = (after: string | null) =>
    attempt(async () => {
      const { changes, next } = await readChanges(type, row.id, after)
      const more = await readLabels(type, changes)
      labels.value = new Map([...labels.value, ...more])
      page.value = { changes: [...page.value.changes, ...changes], next }
    })
  useEffect(() => void load(null), [])

  const revert = async (version: number) => {
    try {
      revertFailure.value = null
      await putBack(type, row, version)
    } catch (error) {
      revertFailure.value = failureOf(error)
    }
  }

  const { changes, next } = page.value
  const isTouched = draftOf(type.path, row.id) !== undefined
  const mayRevert = type.update !== 'none'
  const whyNot = (field: string | null) => (
    <WhyButton
      key={field ?? ''}
      {...{ type, row, field }}
      action="UPDATE"
      subject={field === null ? texts.putBack('…') : titleOf(field)}
    />
  )
  return (
    <section aria-label={texts.history}>
      <FailureNote failure={failure.value} />
      <FailureNote failure={revertFailure.value}>
        {revertFailure.value !== null && refusedFields(revertFailure.value).map(whyNot)}
      </FailureNote>
      {!mayRevert && whyNot(null)}
      {!isLoaded.value && <p role="status">{texts.loading}</p>}
      {isLoaded.value && failure.value === null && changes.length === 0 && <p>{texts.noChanges}</p>}
      <ol class="history">
        {changes.map((change) => (
          <li key={change.version}>
            <Heading change={change} labels={labels.value} />
            <dl>
              {change.changed.map((one) => (
                <ChangedField key={one.field} type={type} change={one} labels={labels.value} />
              ))}
            </dl>
            {mayRevert && change.version !== row._version && change.kind !== 'DELETED' && (
              <button
                type="button"
                class="button"
                disabled={isTouched}
                title={isTouched ? texts.unsavedFirst : undefined}
                onClick={() => void revert(change.version)}
              >
                {texts.putBack(change.version)}
              </button>
            )}
          </li>
        ))}
      </ol>
      {next !== null && (
        <button type="button" class="button" onClick={() => void load(next)}>
          {texts.older}
        </button>
      )}
    </section>
  )
}

function Heading({ change, labels }: { change: RowChange; labels: RowLabels }) {
  const { kind, version, time, by, via } = change
  return (
    <p>
      <strong>{texts.version(version)}</strong> {texts.changeKinds[kind]} <time dateTime={time}>{printTime(time)}</time>
      {by !== null && (
        <>
          {' '}
          {texts.by} <Authors by={by} labels={labels} />
        </>
      )}
      {via !== null && <span class="dim"> {texts.via(via)}</span>}
    </p>
  )
}

function ChangedField({ type, change, labels }: { type: TypeModel; change: FieldChange; labels: RowLabels }) {
  const { before, after } = change
  const isText =
    typeof before === 'string' && typeof after === 'string' && fieldNamed(type, change.field)?.type === 'String'
  return (
    <>
      <dt>{titleOf(change.field)}</dt>
      <dd>
        {isText ? (
          <ChangedText before={before} after={after} />
        ) : (
          <>
            {before !== null && (
              <del>
                <Value type={type} name={change.field} value={before} labels={labels} />
              </del>
            )}
            {before !== null && ' '}
            <ins>
              <Value type={type} name={change.field} value={after} labels={labels} />
            </ins>
          </>
        )}
      </dd>
    </>
  )
}

function ChangedText({ before, after }: { before: string; after: string }) {
  const parts = textChange(before, after)
  return (
    <>
      {parts.start}
      {parts.before !== '' && <del>{printValue(parts.before)}</del>}
      {parts.after !== '' && <ins>{printValue(parts.after)}</ins>}
      {parts.end}
    </>
  )
}

interface ValueProps {
  type: TypeModel
  name: string
  value: unknown
  labels: RowLabels
}

function Value({ type, name, value, labels }: ValueProps) {
  const field = fieldNamed(type, name)
  if (field === undefined || field.kind === 'list') return <>{printValue(value)}</>
  const label = typeof value === 'string' ? labels.get(labelKey(field.type, value)) : undefined
  const to = field.kind === 'reference' && label !== undefined ? typeNamed(field.type) : undefined
  if (to !== undefined) return <a href={linkTo([to.path, String(value)])}>{label}</a>
  return <>{cellValue(field, value)}</>
}
