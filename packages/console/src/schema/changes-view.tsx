// A changed schema file, pasted, and what it would change (`POST /docs/schema/changes`): the report of `twain check --against`.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client, type Failure, failureOf } from '../api/client.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { loadFiles, MistakeList, type SchemaMistake, type SchemaText } from './file-view.tsx'
import { schemaTexts } from './schema-texts.ts'

interface SchemaDifference {
  verdict: keyof typeof schemaTexts.groups
  path: string
  message: string
  affects: keyof typeof schemaTexts.affects
  instead: string | null
  rows: keyof typeof schemaTexts.rowsOf
  used: string | null
}

interface ChangeReport {
  verdict: keyof typeof schemaTexts.verdicts
  differences: readonly SchemaDifference[]
  mistakes: readonly SchemaMistake[]
}

const groups = Object.keys(schemaTexts.groups) as (keyof typeof schemaTexts.groups)[]

export function ChangesView() {
  const files = useSignal<readonly SchemaText[]>([])
  const file = useSignal('')
  const text = useSignal('')
  const isComparing = useSignal(false)
  const report = useSignal<ChangeReport | null>(null)
  const failure = useSignal<Failure | null>(null)
  useEffect(() => {
    loadFiles().then(
      (loaded) => {
        files.value = loaded.files
      },
      (error) => {
        failure.value = failureOf(error)
      },
    )
  }, [])
  const begin = () => {
    text.value = (files.value.find(({ name }) => name === file.value) ?? files.value[0])?.text ?? ''
    report.value = null
  }
  const compare = async (event: SubmitEvent) => {
    event.preventDefault()
    isComparing.value = true
    report.value = null
    failure.value = null
    try {
      const body = file.value === '' ? { text: text.value } : { text: text.value, file: file.value }
      report.value = (await client.rest.post<ChangeReport>('/docs/schema/changes', body)).data!
    } catch (error) {
      failure.value = failureOf(error)
    }
    isComparing.value = false
  }
  const isFolder = files.value.length > 1
  return (
    <form class="stack" onSubmit={(event) => void compare(event)}>
      <p class="note">{schemaTexts.changesHint}</p>
      {isFolder && (
        <label>
          {schemaTexts.replaces}{' '}
          <select
            value={file.value}
            onChange={(event) => {
              file.value = event.currentTarget.value
            }}
          >
            <option value="">{schemaTexts.wholeSchema}</option>
            {files.value.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        {schemaTexts.changedText}
        <textarea
          class="pasted"
          rows={16}
          spellcheck={false}
          required
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
        />
      </label>
      <div class="actions">
        <button type="submit" class="button primary" disabled={isComparing.value}>
          {isComparing.value ? schemaTexts.comparing : schemaTexts.compare}
        </button>
        <button type="button" class="button" disabled={isFolder && file.value === ''} onClick={begin}>
          {schemaTexts.beginWithServed}
        </button>
      </div>
      <FailureNote failure={failure.value} />
      <div role="status">{report.value !== null && <Report report={report.value} />}</div>
    </form>
  )
}

function Report({ report: { verdict, differences, mistakes } }: { report: ChangeReport }) {
  const isBad = verdict === 'breaking' || verdict === 'mistaken'
  return (
    <>
      <p class={isBad ? 'failure' : undefined}>{schemaTexts.verdicts[verdict]}</p>
      <MistakeList mistakes={mistakes} isPasted />
      {groups.map((group) => (
        <Differences
          key={group}
          title={schemaTexts.groups[group]}
          differences={differences.filter((one) => one.verdict === group)}
        />
      ))}
    </>
  )
}

function Differences({ title, differences }: { title: string; differences: readonly SchemaDifference[] }) {
  if (differences.length === 0) return null
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <ol class="history">
        {differences.map(({ path, message, affects, rows, used, instead }) => (
          <li key={`${path} ${message}`}>
            {message}
            {[schemaTexts.affects[affects], schemaTexts.rowsOf[rows], used, instead]
              .filter((line) => line !== null && line !== '')
              .map((line) => (
                <div key={line} class="note">
                  {line}
                </div>
              ))}
          </li>
        ))}
      </ol>
    </section>
  )
}
