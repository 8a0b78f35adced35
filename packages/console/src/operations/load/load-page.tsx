// Load, errors and durations by route and operation, caches, slow statements, and the tail of the log: for the role admin.

import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { type Failure, failureOf } from '../../api/client.ts'
import { pause, whenShown } from '../../live/when-shown.ts'
import { FailureNote } from '../../page/failure-note.tsx'
import { printTime } from '../../rows/cell.tsx'
import { texts as common } from '../../texts.ts'
import { operationTexts as texts } from '../operation-texts.ts'
import { Chart } from './chart.tsx'
import { CacheTable, NodeTable, SeriesTable, SlowQueries } from './load-tables.tsx'
import { LogTail } from './log-tail.tsx'
import {
  readLoad,
  readNodes,
  readSlowQueries,
  type ServiceLoad,
  type ServingNode,
  type SlowQuery,
} from './service-load.ts'

const refreshMs = 10_000
const spans = [5, 15, 60]

export function LoadPage() {
  /** The last answer of each node that has answered: behind a balancer there are several. */
  const nodes = useSignal<ReadonlyMap<string, ServiceLoad>>(new Map())
  /** Null: the node that answered first. */
  const node = useSignal<string | null>(null)
  /** All that serve, whether or not they have answered this page. */
  const serving = useSignal<readonly ServingNode[]>([])
  /** Of all nodes that have answered. */
  const slow = useSignal<readonly SlowQuery[]>([])
  const minutes = useSignal(15)
  const chosen = useSignal('')
  const failure = useSignal<Failure | null>(null)
  useEffect(() => {
    const controller = new AbortController()
    let answered: ReadonlyMap<string, ServiceLoad> = new Map()
    void refresh(controller.signal)
    return () => controller.abort()

    async function refresh(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await whenShown(signal)
        try {
          const [next, queries, all] = await Promise.all([
            readLoad(minutes.value, chosen.value),
            readSlowQueries(),
            readNodes().catch(() => serving.value), // an older node does not list them
          ])
          if (signal.aborted) return
          answered = new Map(answered).set(next.node, next)
          nodes.value = answered
          serving.value = all
          slow.value = [...slow.value.filter((one) => one.node !== queries[0]?.node), ...queries]
          failure.value = null
        } catch (error) {
          if (signal.aborted) return
          failure.value = failureOf(error)
          if ([401, 403, 404].includes(failure.value.status)) return
          if (failure.value.status === 400) chosen.value = '' // it was not requested in these minutes
        }
        await pause(refreshMs, signal)
      }
    }
  }, [minutes.value, chosen.value])
  const [first] = nodes.value.values()
  const load = nodes.value.get(node.value ?? '') ?? first ?? null
  const ended = [...nodes.value.values()].filter((one) => !serving.value.some((other) => other.node === one.node))
  const all = [...serving.value, ...ended.map((one) => ({ ...one, requests: null, errors: null }))]
  return (
    <section class="operations" aria-label={common.load}>
      <h2>{common.load}</h2>
      <FailureNote failure={failure.value} />
      {load === null && failure.value === null && <p role="status">{common.loading}</p>}
      {load !== null && (
        <>
          <p class="dim">
            {texts.node(load.node, printTime(load.startedAt), texts.bytes(load.memoryBytes))}{' '}
            {all.length === 1 ? texts.onlyThisNode : texts.severalNodes}
          </p>
          {all.length > 1 && (
            <NodeTable
              nodes={all}
              answered={nodes.value}
              chosen={load.node}
              onChoose={(name) => {
                node.value = name
              }}
            />
          )}
          <div class="actions">
            <select
              aria-label={texts.minutes}
              value={minutes.value}
              onChange={(event) => {
                minutes.value = Number(event.currentTarget.value)
              }}
            >
              {spans.map((span) => (
                <option key={span} value={span}>
                  {texts.lastMinutes(span)}
                </option>
              ))}
            </select>
            {chosen.value !== '' && (
              <button
                type="button"
                class="button"
                onClick={() => {
                  chosen.value = ''
                }}
              >
                {texts.all}
              </button>
            )}
          </div>
          <LoadCharts load={load} of={chosen.value} />
          {(['routes', 'operations'] as const).map((kind) => (
            <SeriesTable
              key={kind}
              title={kind === 'routes' ? texts.routes : texts.graphql}
              series={load[kind]}
              chosen={chosen.value}
              onChoose={(id) => {
                chosen.value = id
              }}
            />
          ))}
          <CacheTable caches={load.caches} />
          <SlowQueries queries={slow.value.filter((one) => one.node === load.node)} />
          <LogTail node={load.node} />
        </>
      )}
    </section>
  )
}

function LoadCharts({ load, of }: { load: ServiceLoad; of: string }) {
  const { times, rates, durations, requests, errors } = useMemo(() => chartsOf(load), [load])
  const what = of === '' ? texts.all : of
  const summary = texts.chartSummary(what, requests, errors)
  return (
    <div class="charts">
      <Chart title={`${texts.rate} · ${what}`} summary={summary} times={times} lines={rates} />
      <Chart title={`${texts.durations} · ${what}`} summary={summary} times={times} lines={durations} />
    </div>
  )
}

function chartsOf({ points }: ServiceLoad) {
  const complete = points.filter(({ seconds }) => seconds >= 1)
  const rate = (of: 'requests' | 'errors') => complete.map((point) => point[of] / point.seconds)
  const sum = (of: 'requests' | 'errors') => points.reduce((all, point) => all + point[of], 0)
  return {
    times: complete.map(({ time }) => Date.parse(time)),
    rates: [
      { label: texts.requests, values: rate('requests') },
      { label: texts.errors, values: rate('errors'), dash: '8 4', isBad: true },
    ],
    durations: [
      { label: texts.p50, values: complete.map(({ p50 }) => p50) },
      { label: texts.p95, values: complete.map(({ p95 }) => p95), dash: '8 4' },
      { label: texts.p99, values: complete.map(({ p99 }) => p99), dash: '2 3' },
    ],
    requests: sum('requests'),
    errors: sum('errors'),
  }
}
