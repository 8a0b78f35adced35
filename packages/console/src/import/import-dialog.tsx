// Imports a CSV file: which column is which field, then every bad line, and only then the rows, all of them or none.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { client, failureOf } from '../api/client.ts'
import { type FieldModel, type TypeModel, titleOf } from '../api/model.ts'
import { texts } from '../texts.ts'
import { WhyRulesButton } from '../why/why-button.tsx'
import { type BadLine, checkLines, guessField, importFields } from './check-lines.ts'
import { parseTableText, separatorOf, type TextLine } from './table-text.ts'

interface ImportDialogProps {
  type: TypeModel
  /** With a sentence about what was done; null: nothing was. */
  onClose(done: string | null): void
}

interface ReadFile {
  columns: readonly string[]
  lines: readonly TextLine[]
}

/** More bad lines are only counted. */
const maxShownLines = 100

export function ImportDialog({ type, onClose }: ImportDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const file = useSignal<ReadFile | null>(null)
  const mapping = useSignal<readonly (FieldModel | null)[]>([])
  const bad = useSignal<readonly BadLine[]>([])
  const isRunning = useSignal(false)
  useEffect(() => dialog.current!.showModal(), [])

  const read = async (chosen: File | undefined) => {
    if (chosen === undefined) return
    const text = (await chosen.text()).replace(/^\uFEFF/, '')
    const [head, ...lines] = parseTableText(text, separatorOf(text))
    bad.value = head === undefined || lines.length === 0 ? [{ line: 1, field: null, message: texts.noLines }] : []
    file.value = { columns: head?.cells ?? [], lines }
    mapping.value = file.value.columns.map((column) => guessField(type, column))
  }
  const run = async () => {
    isRunning.value = true
    const { lines } = file.value!
    try {
      const { rows, bad: found } = await checkLines(type, lines, mapping.value)
      bad.value = found
      if (found.length > 0) return
      await client.rest.post(`/${type.path}`, rows)
      onClose(texts.imported(texts.rowCount(rows.length)))
    } catch (error) {
      bad.value = linesOf(error, lines)
    } finally {
      isRunning.value = false
    }
  }
  const fields = importFields(type)
  const shown = file.value
  return (
    <dialog
      ref={dialog}
      class="bulk"
      aria-label={texts.importTitle(type.name)}
      aria-busy={isRunning.value}
      onKeyDown={(event) => event.stopPropagation()}
      onCancel={() => onClose(null)}
    >
      <h2>{texts.importTitle(type.name)}</h2>
      <label>
        {texts.csvFile}
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={(event) => void read(event.currentTarget.files?.[0])}
        />
      </label>
      {shown !== null && (
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.column}</th>
              <th scope="col">{texts.example}</th>
              <th scope="col">{texts.field}</th>
            </tr>
          </thead>
          <tbody>
            {shown.columns.map((column, index) => (
              <tr key={String(index)}>
                <th scope="row">{column}</th>
                <td>{(shown.lines[0]?.cells[index] ?? '').slice(0, 40)}</td>
                <td>
                  <select
                    aria-label={texts.fieldOf(column)}
                    value={mapping.value[index]?.name ?? ''}
                    onChange={({ currentTarget: { value } }) => {
                      const field = fields.find(({ name }) => name === value) ?? null
                      mapping.value = mapping.value.map((one, at) => (at === index ? field : one))
                      bad.value = []
                    }}
                  >
                    <option value="">{texts.leaveOut}</option>
                    {fields.map(({ name, create }) => (
                      <option key={name} value={name}>
                        {titleOf(name)}
                        {create === 'required' ? ' *' : ''}
                      </option>
                    ))}
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {bad.value.length > 0 && (
        <div role="alert" class="failure">
          <p>{texts.badLines(bad.value.length)}</p>
          <ul>
            {bad.value.slice(0, maxShownLines).map(({ line, field, message, isDenied = false }) => (
              <li key={`${line} ${field} ${message}`}>
                {texts.lineNumber(line)} {field === null ? '' : `${titleOf(field)}: `}
                {message}
                {isDenied && (
                  <>
                    {' '}
                    <WhyRulesButton
                      type={type.name}
                      actions={['CREATE']}
                      field={field}
                      subject={subjectOf(line, field)}
                    />
                  </>
                )}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="actions">
        <button type="button" class="button" onClick={() => onClose(null)}>
          {texts.cancel}
        </button>
        <button
          type="button"
          class="button primary"
          disabled={
            shown === null || shown.lines.length === 0 || isRunning.value || mapping.value.every((one) => one === null)
          }
          onClick={() => void run()}
        >
          {shown === null ? texts.import : texts.importRows(texts.rowCount(shown.lines.length))}
        </button>
      </div>
    </dialog>
  )
}

function subjectOf(line: number, field: string | null): string {
  return field === null ? texts.lineNumber(line).replace(/:$/, '') : `${texts.lineNumber(line)} ${titleOf(field)}`
}

/** The server names rows by their place in the list: `3.title`. */
function linesOf(error: unknown, lines: readonly TextLine[]): BadLine[] {
  const { code, text, details } = failureOf(error)
  const whole = { line: 1, field: null, message: text }
  if (details.length === 0) return [whole]
  const found = details.map(({ path, message }) => {
    const [, index, field] = /^(\d+)(?:\.(\w+))?/.exec(path) ?? []
    const line = index === undefined ? 1 : lines[Number(index)]!.line
    return { line, field: field ?? null, message, isDenied: code === 'FORBIDDEN' }
  })
  return code === 'FORBIDDEN' ? [whole, ...found] : found // its hint names the rule
}
