// Totals of all rows that the table's filters find, loaded or not: how many there are, and of each column with numbers or times the sum, the
// average, the smallest and the largest value. The server computes them, exactly.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { client, type Failure, failureOf } from '../api/client.ts'
import { titleOf } from '../api/model.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { texts } from '../texts.ts'
import { isNumeric, printTime } from './cell.tsx'
import { type Column, printRowsQuery, type RowsQuery } from './rows-query.ts'

const measures = ['sum', 'avg', 'min', 'max'] as const
type Measure = (typeof measures)[number]
/** Of one request (docs/reference/rest.md, R38), beside the count. */
const maxMeasures = 19

type Group = { count: number } & { [measure in Measure]?: Readonly<Record<string, string | number | null>> }

export function Totals({ path, query, columns }: { path: string; query: RowsQuery; columns: readonly Column[] }) {
  const group = useSignal<Group | null>(null)
  const failure = useSignal<Failure | null>(null)
  const measured = columns.filter((column) => measuresOf(column).length > 0)
  const shown = fitting(measured)
  const wanted = shown.flatMap((column) => measuresOf(column).map((one) => `_${one}.${column.path}`))
  const target = `/${path}?${filtersOnly(query)}groupBy=&fields=${['_count', ...wanted].join(',')}`
  useEffect(() => {
    let isNewest = true
    group.value = null
    failure.value = null
    client.rest.get<Group>(target).then(
      ({ data }) => {
        if (isNewest) group.value = data!
      },
      (error) => {
        if (isNewest) failure.value = failureOf(error)
      },
    )
    return () => {
      isNewest = false
    }
  }, [target])
  if (failure.value !== null) return <FailureNote failure={failure.value} />
  if (group.value === null) return <p role="status">{texts.loading}</p>
  const { count } = group.value
  return (
    <>
      <p role="status">{texts.counted(count)}</p>
      {shown.length > 0 && (
        <table class="figures">
          <thead>
            <tr>
              <td />
              {measures.map((one) => (
                <th key={one} scope="col">
                  {texts.measures[one]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ path: name, field }) => (
              <tr key={name}>
                <th scope="row">{titleOf(name)}</th>
                {measures.map((one) => {
                  const value = group.value![one]?.[name] ?? null
                  const isTime = field.type === 'DateTime' && value !== null
                  return <td key={one}>{isTime ? printTime(String(value)) : value}</td>
                })}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {shown.length < measured.length && <p class="note">{texts.moreTotals(measured.length - shown.length)}</p>}
    </>
  )
}

/** The columns whose measures one request can have, each with all of its own. */
function fitting(measured: readonly Column[]): readonly Column[] {
  let left = maxMeasures
  return measured.filter((column) => {
    const { length } = measuresOf(column)
    if (length > left) return false
    left -= length
    return true
  })
}

function filtersOnly(query: RowsQuery): string {
  const text = printRowsQuery({ ...query, sort: [], fields: null })
  return text === '' ? '' : `${text}&`
}

/** Of the row itself: a measure goes through no reference. */
function measuresOf({ path, field }: Column): readonly Measure[] {
  if (path !== field.name || !field.sort) return []
  if (isNumeric(field)) return measures
  return field.type === 'DateTime' || field.type === 'Date' ? ['min', 'max'] : []
}
