// Who may do what, by the rules of the schema file: each type, field, transition and custom operation, for each kind of viewer. A cell leads
// to the rules with their lines. The filters are those of `GET /docs/access`, in the address.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { address, replaceAddress } from '../address/address.ts'
import { client, type Failure, failureOf } from '../api/client.ts'
import { model } from '../api/model.ts'
import { RequestNote } from '../page/request-note.tsx'
import { texts } from '../texts.ts'
import { whyTexts } from './why-texts.ts'

interface AccessMatrix {
  viewers: readonly string[]
  entries: readonly AccessCell[]
}

interface AccessCell {
  type: string
  field: string | null
  action: string
  from: string | null
  to: string | null
  viewer: string
  allowed: 'ALWAYS' | 'WHERE' | 'NEVER'
  when: string
  rules: readonly { rule: string; place: string; decides: boolean }[]
}

const actions = ['READ', 'CREATE', 'UPDATE', 'DELETE', 'TRANSITION', 'CALL', 'AUDIT', 'ACT_AS']

/** More types than this are shown one by one. */
const fewTypes = 30

export function AccessMatrixPage() {
  const matrix = useSignal<AccessMatrix | null>(null)
  /** Without filters, for the choices. */
  const viewers = useSignal<readonly string[]>([])
  /** `Query` and `Mutation`, if they have custom operations, callable by the user or not. */
  const roots = useSignal<readonly string[]>([])
  const failure = useSignal<Failure | null>(null)
  const chosen = useSignal<AccessCell | null>(null)
  const types = model.value!.types.filter(({ kind }) => kind !== 'abstract').map(({ name }) => name)
  const filters = new URLSearchParams(address.value.query)
  const isFirst = types.length > fewTypes && !filters.has('type')
  if (isFirst) filters.set('type', types[0]!)
  const query = String(filters)
  useEffect(() => {
    let isCurrent = true
    chosen.value = null
    client.rest.get<AccessMatrix>(`/docs/access?${query}`).then(
      ({ data }) => {
        if (!isCurrent) return
        matrix.value = data!
        failure.value = null
        if (!filters.has('as')) viewers.value = data!.viewers
        const called = data!.entries.filter(({ action }) => action === 'CALL').map(({ type }) => type)
        roots.value = [...new Set([...roots.value, ...called])]
      },
      (error) => {
        if (!isCurrent) return
        matrix.value = null
        failure.value = failureOf(error)
      },
    )
    return () => {
      isCurrent = false
    }
  }, [query])
  const choose = (name: string, value: string) => {
    if (value === '') filters.delete(name)
    else filters.set(name, value)
    replaceAddress(['+access'], String(filters))
  }
  const shownViewers = viewers.value.length > 0 ? viewers.value : (matrix.value?.viewers ?? [])
  return (
    <section class="operations" aria-label={texts.matrix}>
      <h2>{texts.matrix}</h2>
      <div class="actions">
        <Choice
          label={whyTexts.typeOf}
          all={types.length > fewTypes ? null : texts.allTypes}
          values={[...types, ...roots.value]}
          value={filters.get('type') ?? ''}
          onChoose={(value) => choose('type', value)}
        />
        <Choice
          label={texts.whom}
          all={whyTexts.allViewers}
          values={shownViewers}
          value={filters.get('as') ?? ''}
          onChoose={(value) => choose('as', value)}
        />
        <Choice
          label={whyTexts.action}
          all={whyTexts.allActions}
          values={actions}
          value={filters.get('action') ?? ''}
          onChoose={(value) => choose('action', value)}
        />
      </div>
      <RequestNote failure={failure.value} result={matrix.value} />
      <p class="dim">{whyTexts.matrixNote}</p>
      {matrix.value?.entries.length === 0 && <p class="nothing">{texts.noMatch}</p>}
      {matrix.value !== null && matrix.value.entries.length > 0 && (
        <MatrixTable
          matrix={matrix.value}
          chosen={chosen.value}
          onChoose={(cell) => {
            chosen.value = cell
          }}
        />
      )}
      <div aria-live="polite">{chosen.value !== null && <CellRules cell={chosen.value} />}</div>
    </section>
  )
}

interface ChoiceProps {
  label: string
  /** Null: one must be chosen. */
  all: string | null
  values: readonly string[]
  value: string
  onChoose(value: string): void
}

function Choice({ label, all, values, value, onChoose }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
        {all !== null && <option value="">{all}</option>}
        {values.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
}

interface MatrixTableProps {
  matrix: AccessMatrix
  chosen: AccessCell | null
  onChoose(cell: AccessCell): void
}

const nearest: ScrollIntoViewOptions = { block: 'nearest', inline: 'nearest' }

function MatrixTable({ matrix: { viewers, entries }, chosen, onChoose }: MatrixTableProps) {
  const rows = [...Map.groupBy(entries, (cell) => `${subjectOf(cell)} ${actionOf(cell)}`).values()]
  return (
    // A browser leaves a focused button where it is, if only its edge is in view.
    <div class="matrix" onFocusIn={({ target }) => (target as Element).scrollIntoView(nearest)}>
      <table>
        <thead>
          <tr>
            <th scope="col">{whyTexts.typeOf}</th>
            <th scope="col">{whyTexts.action}</th>
            {viewers.map((viewer) => (
              <th key={viewer} scope="col">
                {viewer}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr key={`${subjectOf(cells[0]!)} ${actionOf(cells[0]!)}`}>
              <th scope="row">{subjectOf(cells[0]!)}</th>
              <th scope="row">{actionOf(cells[0]!)}</th>
              {cells.map((cell) => (
                <td key={cell.viewer} class={cell.allowed.toLowerCase()}>
                  <button
                    type="button"
                    class="button quiet"
                    aria-pressed={cell === chosen}
                    title={cell.when}
                    onClick={() => onChoose(cell)}
                  >
                    {whyTexts.verdicts[cell.allowed]}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** From a cell to the rules that are about it. */
function CellRules({ cell }: { cell: AccessCell }) {
  return (
    <section class="stack" aria-label={whyTexts.rulesOf}>
      <h3>
        {subjectOf(cell)} · {actionOf(cell)} · {cell.viewer}
      </h3>
      <p>{cell.when}</p>
      {cell.rules.length === 0 ? (
        <p class="dim">{whyTexts.noRule}</p>
      ) : (
        <ul>
          {cell.rules.map(({ rule, place, decides }) => (
            <li key={`${place} ${rule}`}>
              <code>{place}</code> <code>{rule}</code>{' '}
              <span class={decides ? 'allowed' : 'dim'}>{decides ? whyTexts.decides : whyTexts.isForOthers}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function subjectOf({ type, field }: AccessCell): string {
  return field === null ? type : `${type}.${field}`
}

function actionOf({ action, from, to }: AccessCell): string {
  return to === null ? action : `${from} → ${to}`
}
