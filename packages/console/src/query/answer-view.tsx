// The answer as JSON, read-only, with its errors as a list: each leads to its place in the document.

import type { EditorView } from '@codemirror/view'
import type { FieldPlace } from './analyse.ts'
import { CodeEditor } from './code-editor.tsx'
import { highlightJson } from './highlight.ts'
import { queryTexts } from './query-texts.ts'
import type { GraphqlError } from './run-document.ts'

interface AnswerViewProps {
  text: string
  errors: readonly GraphqlError[]
  /** The fields of the document. */
  fields(): readonly FieldPlace[]
  document: EditorView | null
}

const maxErrors = 20

export function AnswerView({ text, errors, fields, document }: AnswerViewProps) {
  return (
    <div class="answer">
      {errors.length > 0 && (
        <ul class="failure query-errors" aria-label={queryTexts.errors}>
          {errors.slice(0, maxErrors).map((error, index) => (
            <li key={index}>
              <ErrorText error={error} fields={fields} document={document} />
            </li>
          ))}
          {errors.length > maxErrors && <li>{queryTexts.more(errors.length - maxErrors)}</li>}
        </ul>
      )}
      <CodeEditor label={queryTexts.answer} text={text} revision={text} extensions={highlightJson} isReadOnly />
    </div>
  )
}

type ErrorTextProps = Pick<AnswerViewProps, 'fields' | 'document'> & { error: GraphqlError }

function ErrorText({ error, fields, document }: ErrorTextProps) {
  const { message, extensions, path } = error
  const place = document === null ? null : placeOf(error, fields(), document)
  return (
    <>
      {extensions?.code !== undefined && <code>{extensions.code}</code>} {message} {extensions?.hint}{' '}
      {path !== undefined && <code>{path.join('.')}</code>}{' '}
      {place !== null && (
        <button type="button" class="button" onClick={() => showPlace(document!, place)}>
          {placeText(document!, place)}
        </button>
      )}
    </>
  )
}

/** Of its first location; else of the field of its path, or the nearest one above it. */
function placeOf({ locations, path }: GraphqlError, fields: readonly FieldPlace[], view: EditorView): number | null {
  const { doc } = view.state
  const [location] = locations ?? []
  if (location !== undefined && location.line <= doc.lines) {
    const line = doc.line(location.line)
    return Math.min(line.from + location.column - 1, line.to)
  }
  const keys = (path ?? []).filter((step) => typeof step === 'string')
  for (let length = keys.length; length > 0; length--) {
    const wanted = keys.slice(0, length).join('.')
    const field = fields.find((one) => one.path === wanted)
    if (field !== undefined) return Math.min(field.from, doc.length)
  }
  return null
}

export function placeText({ state }: EditorView, position: number): string {
  const line = state.doc.lineAt(Math.min(position, state.doc.length))
  return queryTexts.place(line.number, position - line.from + 1)
}

export function showPlace(view: EditorView, position: number): void {
  view.dispatch({ selection: { anchor: Math.min(position, view.state.doc.length) }, scrollIntoView: true })
  view.focus()
}
