// GraphQL by hand: a document with its variables, what the server answers, and the documentation of the schema.

import type { EditorView } from '@codemirror/view'
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { address } from '../address/address.ts'
import { failureOf } from '../api/client.ts'
import { model } from '../api/model.ts'
import { session } from '../api/session.ts'
import { copyText } from '../edit/copy-text.ts'
import { Menu } from '../page/menu.tsx'
import { printTime } from '../rows/cell.tsx'
import { type Analysis, analyse, type Candidate, type DocumentOperation } from './analyse.ts'
import { AnswerView, placeText, showPlace } from './answer-view.tsx'
import { CodeEditor } from './code-editor.tsx'
import { analysisOf, documentExtension, setSchema } from './document-extension.ts'
import { Documentation } from './documentation.tsx'
import { draft, draftLink, draftRevision, keepDraft, openDraft, replaceDraft } from './draft.ts'
import { formatDocument } from './format.ts'
import { loadSchema } from './load-schema.ts'
import { forgetRuns, rememberRun, runDocuments } from './query-history.ts'
import { queryTexts } from './query-texts.ts'
import { type GraphqlAnswer, type GraphqlError, runOnce, runStream } from './run-document.ts'
import type { GraphqlSchema } from './schema.ts'
import { readVariables, variablesExtension } from './variables-extension.ts'

const maxEvents = 100
const maxMistakes = 5

interface ShownAnswer {
  text: string
  errors: readonly GraphqlError[]
}

export function QueryPage() {
  if (model.value!.documents === 'any') return <QueryEditor />
  return <p class="nothing">{queryTexts.trustedOnly}</p>
}

function QueryEditor() {
  useOpenedDraft()
  const schema = useSignal<GraphqlSchema | null>(null)
  const schemaFailure = useSignal<string | null>(null)
  const analysis = useSignal<Analysis>(analyse(draft.value.query, null))
  const cursor = useSignal(0)
  const trail = useSignal<readonly string[]>([])
  const chosen = useSignal<string | null>(null)
  const status = useSignal('')
  const answer = useSignal<ShownAnswer>({ text: '', errors: [] })
  const running = useSignal<AbortController | null>(null)
  const view = useRef<EditorView | null>(null)

  const operation = useComputed(() => operationToRun(analysis.value.operations, cursor.value, chosen.value))
  const variables = useComputed(() => readVariables(draft.value.variables, operation.value?.variables ?? []))
  const candidate = useComputed(() => candidateAt(analysis.value, cursor.value))

  useEffect(() => {
    let isCurrent = true
    loadSchema().then(
      (loaded) => {
        if (!isCurrent) return
        schema.value = loaded
        schemaFailure.value = null
        view.current?.dispatch({ effects: setSchema.of(loaded) })
      },
      (error: unknown) => {
        if (isCurrent) schemaFailure.value = failureOf(error).text
      },
    )
    return () => {
      isCurrent = false
    }
  }, [session.value?.token])
  useEffect(() => () => running.value?.abort(), [])

  const run = () => {
    running.value?.abort()
    const wanted = operation.value
    const { values, mistakes } = variables.value
    if (wanted === null || values === null) {
      status.value = wanted === null ? queryTexts.noOperation : mistakes.join(' ')
      return
    }
    const controller = new AbortController()
    running.value = controller
    const { query } = draft.value
    rememberRun(query, draft.value.variables)
    void send({ query, variables: values, operationName: wanted.name }, wanted.kind, controller.signal, {
      onAnswer: (next) => {
        answer.value = next
      },
      onStatus: (text) => {
        status.value = text
      },
    }).finally(() => {
      if (running.value === controller) running.value = null
    })
  }
  const runRef = useRef(run)
  runRef.current = run

  const format = () => {
    if (analysis.value.mistakes.some(({ isSyntax }) => isSyntax)) {
      status.value = queryTexts.cannotFormat
      return
    }
    replaceDraft({ query: formatDocument(draft.value.query), variables: formatted(draft.value.variables) })
  }
  const goTo = (position: number) => view.current && showPlace(view.current, position)
  const mistakes = analysis.value.mistakes.slice(0, maxMistakes)
  return (
    <section class="query" aria-label={queryTexts.title}>
      <div class="toolbar">
        <h2>{queryTexts.title}</h2>
        <button type="button" class="button primary" title={queryTexts.runHint} onClick={run}>
          {queryTexts.run}
        </button>
        {analysis.value.operations.length > 1 && (
          <Operations
            operations={analysis.value.operations}
            operation={operation.value}
            onChoose={(name, position) => {
              chosen.value = name
              goTo(position)
            }}
          />
        )}
        {running.value !== null && (
          <button
            type="button"
            class="button"
            onClick={() => {
              running.value?.abort()
              status.value = queryTexts.stopped
            }}
          >
            {queryTexts.stop}
          </button>
        )}
        <button type="button" class="button" onClick={format}>
          {queryTexts.format}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => {
            void copyText(draftLink(address.value.steps[0]!))
            status.value = queryTexts.copied
          }}
        >
          {queryTexts.copyLink}
        </button>
        <HistoryMenu />
        <span role="status" class="dim">
          {status.value}
        </span>
      </div>
      <div class="query-parts">
        <div class="query-input">
          <CodeEditor
            label={queryTexts.document}
            text={draft.value.query}
            revision={draftRevision.value}
            extensions={documentExtension(
              (state) => {
                analysis.value = analysisOf(state)
                cursor.value = state.selection.main.head
                if (trail.value.length > 0) trail.value = []
              },
              () => runRef.current(),
            )}
            onChange={(query) => keepDraft({ query })}
            onView={(made) => {
              view.current = made
              if (schema.value !== null) made.dispatch({ effects: setSchema.of(schema.value) })
            }}
          />
          <ul class="mistakes" aria-label={queryTexts.mistakes}>
            {mistakes.map(({ from, text }) => (
              <li key={`${from} ${text}`} class="note mistake">
                <button type="button" class="link" onClick={() => goTo(from)}>
                  {view.current === null ? '' : placeText(view.current, from)}
                </button>{' '}
                {text}
              </li>
            ))}
            {variables.value.mistakes.slice(0, maxMistakes).map((text) => (
              <li key={text} class="note mistake">
                {text}
              </li>
            ))}
          </ul>
          <h3>{queryTexts.variables}</h3>
          <CodeEditor
            label={queryTexts.variables}
            text={draft.value.variables}
            revision={draftRevision.value}
            extensions={variablesExtension(
              () => operation.value?.variables ?? [],
              () => runRef.current(),
            )}
            onChange={(text) => keepDraft({ variables: text })}
          />
        </div>
        <AnswerView
          text={answer.value.text}
          errors={answer.value.errors}
          fields={() => analysis.value.fields}
          document={view.current}
        />
        {schema.value !== null ? (
          <Documentation
            schema={schema.value}
            candidate={candidate.value}
            trail={trail.value}
            onTrail={(next) => {
              trail.value = next
            }}
          />
        ) : (
          schemaFailure.value !== null && (
            <aside class="documentation" aria-label={queryTexts.documentation}>
              <p>{queryTexts.noSchema}</p>
              <p class="note">{schemaFailure.value}</p>
              <p class="note">{queryTexts.noSchemaHint}</p>
            </aside>
          )
        )}
      </div>
    </section>
  )
}

/** Before the editors are made. A link within the console can bring another document. */
function useOpenedDraft(): void {
  const opened = useRef<string | null>(null)
  const { query } = address.value
  if (opened.current !== null && !query.includes('query=')) return
  opened.current = query
  openDraft()
}

function Operations(props: {
  operations: readonly DocumentOperation[]
  operation: DocumentOperation | null
  onChoose(name: string, position: number): void
}) {
  const { operations, operation, onChoose } = props
  return (
    <select
      class="narrow"
      aria-label={queryTexts.operation}
      value={operation?.name ?? ''}
      onChange={(event) => {
        const name = event.currentTarget.value
        onChoose(name, operations.find((one) => one.name === name)?.from ?? 0)
      }}
    >
      {operations.map(({ kind, name, from }) => (
        <option key={from} value={name ?? ''}>
          {name ?? queryTexts.unnamed(kind)}
        </option>
      ))}
    </select>
  )
}

function HistoryMenu() {
  return (
    <Menu title={queryTexts.history}>
      {(close) => (
        <>
          {runDocuments.value.length === 0 && <p class="note">{queryTexts.noHistory}</p>}
          <ul class="answers query-history">
            {runDocuments.value.map(({ query, variables, time }) => (
              <li key={time}>
                <button
                  type="button"
                  class="link code"
                  onClick={() => {
                    replaceDraft({ query, variables })
                    close()
                  }}
                >
                  {query.replaceAll(/\s+/g, ' ').slice(0, 80)}
                </button>{' '}
                <time class="note" dateTime={time}>
                  {printTime(time)}
                </time>
              </li>
            ))}
          </ul>
          <p class="note">{queryTexts.historyNote}</p>
          <button type="button" class="button" disabled={runDocuments.value.length === 0} onClick={forgetRuns}>
            {queryTexts.clearHistory}
          </button>
        </>
      )}
    </Menu>
  )
}

/** The one under the cursor; else the chosen one; else the first. */
function operationToRun(
  operations: readonly DocumentOperation[],
  cursor: number,
  chosen: string | null,
): DocumentOperation | null {
  return (
    operations.find(({ from, to }) => from <= cursor && cursor <= to) ??
    operations.find(({ name }) => name === chosen) ??
    operations[0] ??
    null
  )
}

function candidateAt(analysis: Analysis, position: number): Candidate | null {
  const slot = analysis.slotAt(position)
  return slot?.candidates().find(({ name }) => name === slot.name?.text) ?? null
}

interface RunHandlers {
  onAnswer(answer: ShownAnswer): void
  onStatus(text: string): void
}

async function send(
  call: Parameters<typeof runOnce>[0],
  kind: DocumentOperation['kind'],
  signal: AbortSignal,
  { onAnswer, onStatus }: RunHandlers,
): Promise<void> {
  const begin = performance.now()
  onStatus(queryTexts.running)
  try {
    if (kind !== 'subscription') {
      const answer = await runOnce(call, signal)
      if (signal.aborted) return
      onAnswer({ text: JSON.stringify(answer, null, 2), errors: answer.errors ?? [] })
      onStatus(queryTexts.took(performance.now() - begin))
      return
    }
    const events: GraphqlAnswer[] = []
    let count = 0
    onAnswer({ text: '', errors: [] })
    onStatus(queryTexts.listening(0))
    await runStream(call, signal, (event) => {
      if (signal.aborted) return
      count += 1
      events.unshift(event)
      events.length = Math.min(events.length, maxEvents)
      const errors = events.flatMap((one) => one.errors ?? [])
      onAnswer({ text: events.map((one) => JSON.stringify(one, null, 2)).join('\n\n'), errors })
      onStatus(queryTexts.listening(count))
    })
    onStatus(queryTexts.ended(count))
  } catch (error) {
    if (signal.aborted) return
    onStatus('')
    onAnswer({ text: '', errors: [{ message: failureOf(error).text }] })
  }
}

/** As it is, where it is no JSON. */
function formatted(json: string): string {
  try {
    return json.trim() === '' ? '' : JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
