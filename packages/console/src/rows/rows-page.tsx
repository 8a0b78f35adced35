// The table of a collection with its tools. All of its state that is worth a link is in the address.

import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { go, linkTo, replaceAddress } from '../address/address.ts'
import { isReadOnly } from '../api/acting.ts'
import { failureOf } from '../api/client.ts'
import { type TypeModel, typeAt, typeNamed } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { written } from '../edit/save.ts'
import { isTyping } from '../find/finder.tsx'
import type { LiveRows } from '../live/live-rows.ts'
import { FailureNote } from '../page/failure-note.tsx'
import { lazy } from '../page/lazy.tsx'
import { Menu } from '../page/menu.tsx'
import { texts } from '../texts.ts'
import { mayExplain } from '../why/access.ts'
import { WhyRulesButton } from '../why/why-button.tsx'
import { ColumnMenu } from './column-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { GridPlace } from './grid-focus.ts'
import { useRowLabel } from './row-label.ts'
import { RowList } from './row-list.ts'
import {
  apiQuery,
  bulkQuery,
  columnsOf,
  countQuery,
  exportQuery,
  parseRowsQuery,
  printRowsQuery,
  type RowsQuery,
  showsDeleted,
  showsOnlyDeleted,
} from './rows-query.ts'
import { Table } from './table.tsx'

const ImportDialog = lazy(async () => (await import('../import/import-dialog.tsx')).ImportDialog)
const Totals = lazy(async () => (await import('./totals.tsx')).Totals)
const BulkBar = lazy(async () => (await import('../bulk/bulk-bar.tsx')).BulkBar)

interface RowsPageProps {
  type: TypeModel
  /** The path of the list: `posts`, or `posts/p1/comments`. */
  source: string
  query: string
  /** The row that is open beside the table. */
  openId: string | null
}

/** More rows are an estimate (docs/reference/rest.md, R33). */
const maxExactTotal = 10_000

export function RowsPage({ type, source, query: text, openId }: RowsPageProps) {
  const reloads = useSignal(0)
  const live = useSignal<LiveRows | null>(null)
  const isImporting = useSignal(false)
  const chosen = useSignal<readonly string[]>([])
  const done = useSignal('')
  const pasteProblems = useSignal<readonly string[]>([])
  const query = useMemo(() => parseRowsQuery(text), [text])
  const areDeleted = showsDeleted(query)
  const columns = useMemo(() => columnsOf(type, query), [type, query])
  const request = apiQuery(query, columns, type)
  const list = useMemo(() => {
    const next = new RowList(source, request, countQuery(query))
    void next.loadMore() // the server works while the page is drawn
    return next
  }, [source, request, reloads.value])
  useEffect(() => () => list.end(), [list])
  useEffect(() => {
    chosen.value = []
  }, [list])
  useEffect(() => {
    if (type.kind !== 'rows' || areDeleted) return
    let feed: LiveRows | null = null
    let isEnded = false
    void import('../live/live-rows.ts').then(
      ({ LiveRows }) => {
        if (isEnded) return
        feed = new LiveRows(type, list)
        live.value = feed
      },
      () => {},
    ) // the rows are there, but not live
    return () => {
      isEnded = true
      feed?.end()
      live.value = null
    }
  }, [list, areDeleted])
  useEffect(() => {
    const ours = written.value.filter(({ path }) => path === type.path)
    if (ours.some(({ isNew }) => isNew)) reloads.value++
    for (const { id } of ours) void list.refresh(type.path, id)
  }, [written.value])

  const steps = source.split('/')
  const change = (part: Partial<RowsQuery>) => {
    const next = printRowsQuery({ ...query, ...part })
    replaceAddress(openId === null ? steps : [...steps, openId], next)
  }
  const choose = (index: number, isRange: boolean) => {
    chosen.value = withChoice(chosen.value, list.rows.value, index, isRange)
  }
  const open = (row: Row) => {
    if (areDeleted) return choose(list.rows.value.indexOf(row), false) // a deleted row is on no path
    const own = type.kind === 'abstract' ? typeNamed(String(row._type)) : type
    if (own === undefined) return
    if (own === type && steps.length === 1) go([type.path, row.id], text)
    else go([own.path, row.id])
  }
  const sortBy = (path: string, isFurther: boolean) => {
    const key = query.sort.find((one) => one.path === path)
    const others = isFurther ? query.sort.filter((one) => one.path !== path) : []
    const next =
      key === undefined ? [{ path, isDescending: false }] : key.isDescending ? [] : [{ path, isDescending: true }]
    change({ sort: [...others, ...next] })
  }
  const paste = async (text: string, at: GridPlace) => {
    try {
      const { pasteInto } = await import('./paste.ts')
      pasteProblems.value = await pasteInto(type, list.rows.value, columns, text, at)
    } catch (error) {
      pasteProblems.value = [failureOf(error).text]
    }
  }
  const mayCreate = steps.length === 1 && type.create !== 'none' && type.kind === 'rows'
  const saveCsv = async () => {
    try {
      const { exportRows } = await import('../import/export-rows.ts')
      await exportRows(source, exportQuery(query, columns), type.path)
    } catch (error) {
      pasteProblems.value = [failureOf(error).text]
    }
  }
  const shown = columns.map(({ path }) => path)
  const isFiltered = query.filters.length > 0 || query.search !== ''
  return (
    <section class="rows" aria-label={type.name}>
      <div class="toolbar">
        <h2>{steps.length === 1 ? type.name : <ListTitle steps={steps} />}</h2>
        {type.search && <SearchBox text={query.search} onSearch={(search) => change({ search })} />}
        <FilterBar type={type} filters={query.filters} onChange={(filters) => change({ filters })} />
        <ColumnMenu type={type} shown={shown} onChange={(fields) => change({ fields })} />
        {type.softDelete && type.delete !== 'none' && steps.length === 1 && (
          <button
            type="button"
            class="button"
            aria-pressed={showsOnlyDeleted(query)}
            onClick={() => {
              const others = query.others.filter(([name]) => name !== 'deleted')
              change({ others: showsOnlyDeleted(query) ? others : [...others, ['deleted', 'only']] })
            }}
          >
            {texts.deletedRows}
          </button>
        )}
        {type.softDelete && type.delete === 'none' && (
          <WhyRulesButton type={type.name} actions={['READ', 'DELETE']} subject={texts.deletedRows} />
        )}
        <button type="button" class="button" onClick={() => reloads.value++}>
          {texts.reload}
        </button>
        {mayCreate && (
          <a class="button primary" href={linkTo([type.path, '+new'], text)}>
            {texts.newRow(type.name)}
          </a>
        )}
        {type.create === 'none' && mayExplain(type) && !isReadOnly && (
          <a
            class="button quiet"
            aria-label={texts.whyNot(texts.newRow(type.name))}
            href={linkTo(['+access'], `type=${type.name}&action=CREATE`)}
          >
            {texts.why}
          </a>
        )}
        <Menu title={texts.importExport}>
          {(close) => (
            <div class="stack">
              <button type="button" class="button" onClick={() => void saveCsv().then(close)}>
                {texts.exportCsv}
              </button>
              {mayCreate && (
                <button
                  type="button"
                  class="button"
                  onClick={() => {
                    close()
                    isImporting.value = true
                  }}
                >
                  {texts.importCsv}
                </button>
              )}
            </div>
          )}
        </Menu>
        {(type.kind === 'rows' || type.kind === 'view') && !areDeleted && (
          <Menu title={texts.totals}>{() => <Totals path={source} query={query} columns={columns} />}</Menu>
        )}
        <span class="spacer" />
        {(live.value?.newCount.value ?? 0) > 0 && (
          <button type="button" class="button" onClick={() => reloads.value++}>
            {texts.newRows(live.value!.newCount.value)}
          </button>
        )}
        <Total list={list} />
      </div>
      {chosen.value.length > 0 && (
        <BulkBar
          key={request}
          type={type}
          chosen={chosen.value}
          query={steps.length === 1 ? bulkQuery(query) : null}
          areDeleted={areDeleted}
          onClear={() => (chosen.value = [])}
          onDone={(sentence) => {
            done.value = sentence
            reloads.value++
          }}
        />
      )}
      {isImporting.value && (
        <ImportDialog
          type={type}
          onClose={(sentence) => {
            isImporting.value = false
            if (sentence === null) return
            done.value = sentence
            reloads.value++
          }}
        />
      )}
      <p role="status" class={done.value === '' ? 'visually-hidden' : 'done'}>
        {done.value}
      </p>
      <FailureNote failure={list.failure.value} />
      <PasteNote problems={pasteProblems.value} onClose={() => (pasteProblems.value = [])} />
      <Table
        {...{ type, list, columns, openId }}
        chosen={mayChoose(type) ? chosen.value : null}
        onChoose={choose}
        isReadOnly={areDeleted}
        live={live.value}
        sort={query.sort}
        onSort={sortBy}
        onOpen={open}
        onPaste={(text, at) => void paste(text, at)}
      />
      {list.rows.value.length === 0 && !list.hasMore.value && (
        <p class="nothing" role="status">
          {isFiltered ? texts.noMatch : texts.noRows}
        </p>
      )}
    </section>
  )
}

/** Leads back to the row whose list it is. */
function ListTitle({ steps: [path = '', id = '', list = ''] }: { steps: readonly string[] }) {
  const label = useRowLabel(typeAt(path), id)
  return (
    <>
      {texts.listOf(list)} <a href={linkTo([path, id])}>{label}</a>
    </>
  )
}

function mayChoose({ kind, update, delete: remove }: TypeModel): boolean {
  return kind === 'rows' && (update !== 'none' || remove !== 'none')
}

/** Chooses a row or takes its choice back; a range goes from the row that was chosen last. */
function withChoice(chosen: readonly string[], rows: readonly Row[], index: number, isRange: boolean): string[] {
  const { id } = rows[index]!
  const last = rows.findIndex((row) => row.id === chosen.at(-1))
  if (isRange && last >= 0) {
    const range = rows.slice(Math.min(last, index), Math.max(last, index) + 1).map((row) => row.id)
    return [...chosen.filter((one) => !range.includes(one)), ...range]
  }
  return chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]
}

/** What a paste left out. */
function PasteNote({ problems, onClose }: { problems: readonly string[]; onClose(): void }) {
  if (problems.length === 0) return null
  return (
    <div class="failure" role="alert">
      <ul>
        {problems.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <button type="button" class="button" onClick={onClose}>
        {texts.dismiss}
      </button>
    </div>
  )
}

function Total({ list }: { list: RowList }) {
  const total = list.total.value
  const about = total !== null && total > maxExactTotal
  return (
    <>
      <span role="status" class="dim">
        {total === null
          ? texts.loaded(list.rows.value.length, list.hasMore.value)
          : about
            ? texts.countedAbout(total)
            : texts.counted(total)}
      </span>
      {total === null && list.hasMore.value && (
        <button type="button" class="button" onClick={() => void list.count()}>
          {texts.count}
        </button>
      )}
    </>
  )
}

/** Searches after a short pause of typing. `/` leads here from anywhere. */
function SearchBox({ text, onSearch }: { text: string; onSearch(text: string): void }) {
  const box = useRef<HTMLInputElement>(null)
  const timer = useRef(0)
  const typed = useSignal<string | null>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return
      event.preventDefault()
      box.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <input
      ref={box}
      type="search"
      aria-label={texts.search}
      placeholder={texts.search}
      value={typed.value ?? text}
      onInput={({ currentTarget: { value } }) => {
        typed.value = value
        clearTimeout(timer.current)
        timer.current = setTimeout(() => {
          typed.value = null
          onSearch(value.trim())
        }, 250)
      }}
    />
  )
}
