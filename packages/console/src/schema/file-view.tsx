// The schema file with line numbers. In `twain dev` the file as it is now, with the mistakes that the terminal shows, as it changes.

import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { client, type Failure, failureOf } from '../api/client.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { RequestNote } from '../page/request-note.tsx'
import { goToSchema, schemaLink, schemaParameters } from './schema-links.tsx'
import { schemaTexts } from './schema-texts.ts'
import { Scrolled } from './scrolled.tsx'
import { tokenLines } from './sdl-tokens.ts'

export interface SchemaText {
  name: string
  text: string
}

export interface SchemaMistake {
  file: string
  line: number
  column: number
  length: number
  message: string
  hint: string | null
}

export interface SchemaFiles {
  watched: boolean
  files: readonly SchemaText[]
  pending: { files: readonly SchemaText[]; mistakes: readonly SchemaMistake[]; reason: string } | null
}

const pollMs = 1000

/** `onServed`: the server serves other files than before. */
export function FileView({ onServed }: { onServed(): void }) {
  const files = useSignal<SchemaFiles | null>(null)
  const failure = useSignal<Failure | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isClosed = false
    const poll = async () => {
      const before = files.value
      try {
        if (!document.hidden || before === null) files.value = await loadFiles()
        failure.value = null
      } catch (error) {
        failure.value = failureOf(error)
      }
      if (isClosed) return
      if (before !== null && textsOf(before) !== textsOf(files.value!)) onServed()
      const isRefused = failure.value !== null && [401, 403, 404].includes(failure.value.status)
      if (files.value?.watched === true && !isRefused) timer = setTimeout(() => void poll(), pollMs)
    }
    void poll()
    return () => {
      isClosed = true
      clearTimeout(timer)
    }
  }, [])
  if (files.value === null) return <RequestNote failure={failure.value} result={null} />
  const { watched, files: served, pending } = files.value
  const present = pending === null || pending.files.length === 0 ? served : pending.files
  const parameters = schemaParameters()
  const wanted = parameters.get('file')
  const file = present.find(({ name }) => name === wanted) ?? present[0]!
  const mistakes = pending?.mistakes ?? []
  return (
    <>
      <FailureNote failure={failure.value} />
      <p class="note">{watched ? schemaTexts.watched : schemaTexts.notWatched}</p>
      <div role="status">
        {pending === null ? (
          <p>{schemaTexts.fine}</p>
        ) : (
          <div class="failure">
            {schemaTexts.notServed} {mistakes.length === 0 ? pending.reason : schemaTexts.mistakes(mistakes.length)}
          </div>
        )}
      </div>
      <MistakeList mistakes={mistakes} />
      {present.length > 1 && (
        <label>
          {schemaTexts.files}{' '}
          <select value={file.name} onChange={(event) => goToSchema('file', { file: event.currentTarget.value })}>
            {present.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <SchemaFileText
        file={file}
        line={Number(parameters.get('line'))}
        mistakes={mistakes.filter((mistake) => mistake.file === file.name)}
      />
    </>
  )
}

export async function loadFiles(): Promise<SchemaFiles> {
  return (await client.rest.get<SchemaFiles>('/docs/schema/files')).data!
}

function textsOf({ files }: SchemaFiles): string {
  return files.map(({ name, text }) => `${name}\n${text}`).join('\n')
}

/** Those of a pasted text lead nowhere. */
export function MistakeList({
  mistakes,
  isPasted = false,
}: {
  mistakes: readonly SchemaMistake[]
  isPasted?: boolean
}) {
  if (mistakes.length === 0) return null
  return (
    <ol class="history">
      {mistakes.map(({ file, line, column, message, hint }) => (
        <li key={`${file} ${line} ${column} ${message}`}>
          {isPasted ? (
            <strong>{schemaTexts.mistakeAt(line)}</strong>
          ) : (
            <a href={schemaLink('file', { file, line })}>{schemaTexts.line(file, line)}</a>
          )}{' '}
          {message}
          {hint !== null && <div class="note">{hint}</div>}
        </li>
      ))}
    </ol>
  )
}

interface SchemaFileTextProps {
  file: SchemaText
  line: number
  mistakes: readonly SchemaMistake[]
}

function SchemaFileText({ file, line, mistakes }: SchemaFileTextProps) {
  const lines = useMemo(() => tokenLines(file.text), [file.text])
  useEffect(() => {
    document.getElementById(`line-${line}`)?.scrollIntoView({ block: 'center' })
  }, [file.name, line])
  const wrong = Map.groupBy(mistakes, (mistake) => mistake.line)
  return (
    <Scrolled class="file-text" label={schemaTexts.textOf(file.name)}>
      <ol>
        {lines.map((tokens, index) => (
          <li key={index} id={`line-${index + 1}`} class={lineClass(index + 1, line, wrong)}>
            <code>
              {tokens.map(({ text, kind }, at) =>
                kind === 'plain' ? (
                  text
                ) : (
                  <span key={at} class={`sdl-${kind}`}>
                    {text}
                  </span>
                ),
              )}
            </code>
            {wrong.get(index + 1)?.map(({ column, message }) => (
              <div key={`${column} ${message}`} class="mistake">
                {message}
              </div>
            ))}
          </li>
        ))}
      </ol>
    </Scrolled>
  )
}

function lineClass(line: number, chosen: number, wrong: ReadonlyMap<number, unknown>): string | undefined {
  const classes = [line === chosen ? 'chosen' : '', wrong.has(line) ? 'wrong' : ''].filter((one) => one !== '')
  return classes.length === 0 ? undefined : classes.join(' ')
}
