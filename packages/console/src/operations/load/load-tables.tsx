// The figures of the load as tables: routes, operations, caches; and the slowest statements.

import { printTime } from '../../rows/cell.tsx'
import { operationTexts as texts } from '../operation-texts.ts'
import type { Series, ServiceLoad, ServingNode, SlowQuery } from './service-load.ts'

interface SeriesTableProps {
  title: string
  series: readonly Series[]
  chosen: string
  onChoose(id: string): void
}

export function SeriesTable({ title, series, chosen, onChoose }: SeriesTableProps) {
  const heads = [texts.requests, texts.errors, texts.refused, texts.p50, texts.p95, texts.p99]
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {series.length === 0 && <p class="dim">{texts.nothingYet}</p>}
      {series.length > 0 && (
        <table class="figures">
          <TableHead names={[texts.name, ...heads]} />
          <tbody>
            {series.map(({ id, requests, errors, refused, p50, p95, p99 }) => (
              <tr key={id}>
                <th scope="row">
                  <button
                    type="button"
                    class="button quiet"
                    aria-pressed={id === chosen}
                    onClick={() => onChoose(id === chosen ? '' : id)}
                  >
                    {id}
                  </button>
                </th>
                <td>{texts.number(requests)}</td>
                <td class={errors > 0 ? 'denied' : ''}>{texts.number(errors)}</td>
                <td>{texts.number(refused)}</td>
                {[p50, p95, p99].map((value, index) => (
                  <td key={index}>{texts.milliseconds(value)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

function TableHead({ names }: { names: readonly string[] }) {
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th scope="col" key={name}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface NodeTableProps {
  nodes: readonly ServingNode[]
  /** The last answer of each node that has answered. */
  answered: ReadonlyMap<string, ServiceLoad>
  chosen: string
  onChoose(node: string): void
}

export function NodeTable({ nodes, answered, chosen, onChoose }: NodeTableProps) {
  return (
    <section aria-label={texts.nodes}>
      <table class="figures">
        <TableHead names={[texts.nodeName, texts.minuteRequests, texts.errors, texts.memory, texts.lastAnswer]} />
        <tbody>
          {nodes.map(({ node, startedAt, requests, errors, memoryBytes }) => (
            <tr key={`${node} ${startedAt}`}>
              <th scope="row">
                <button
                  type="button"
                  class="button quiet"
                  aria-pressed={node === chosen}
                  disabled={!answered.has(node)}
                  onClick={() => onChoose(node)}
                >
                  {node}
                </button>
              </th>
              <td>{requests === null ? '–' : texts.number(requests)}</td>
              <td>{errors === null ? '–' : texts.number(errors)}</td>
              <td>{texts.bytes(memoryBytes)}</td>
              <td>{answerTime(answered.get(node))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function answerTime(load: ServiceLoad | undefined): string {
  const last = load?.points.at(-1)
  return last === undefined ? texts.noAnswer : printTime(last.time)
}

export function CacheTable({ caches }: Pick<ServiceLoad, 'caches'>) {
  return (
    <section aria-label={texts.caches}>
      <h3>{texts.caches}</h3>
      <table class="figures">
        <TableHead names={[texts.name, texts.entries, texts.size, texts.hits]} />
        <tbody>
          {caches.map(({ name, entries, bytes, hits, misses }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{texts.number(entries)}</td>
              <td>{texts.bytes(bytes)}</td>
              <td>{hits + misses === 0 ? '–' : `${texts.number((100 * hits) / (hits + misses))} %`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

export function SlowQueries({ queries }: { queries: readonly SlowQuery[] }) {
  return (
    <section aria-label={texts.slow}>
      <h3>{texts.slow}</h3>
      {queries.length === 0 && <p class="dim">{texts.noSlow}</p>}
      <ol class="history">
        {queries.map(({ shape, sql, hint, count, maxMs, lastAt, plan }) => (
          <li key={sql}>
            <details>
              <summary>
                <strong>{texts.milliseconds(maxMs)}</strong> {texts.times(count)}{' '}
                <time dateTime={lastAt}>{printTime(lastAt)}</time> {shape}
              </summary>
              <pre class="code">{sql}</pre>
              <h4>{texts.plan}</h4>
              {plan === null ? <p class="dim">{texts.noPlan}</p> : <pre class="code">{plan}</pre>}
            </details>
            {hint !== null && <p class="note">{hint}</p>}
          </li>
        ))}
      </ol>
    </section>
  )
}
