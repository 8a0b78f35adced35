// The widths of columns that the user changed, kept in this browser.

import { effect, signal } from '@preact/signals'
import type { TypeModel } from '../api/model.ts'
import { widthOf } from './cell.tsx'
import type { Column } from './rows-query.ts'

const storageKey = 'twain.widths'
const minWidth = 60
const maxWidth = 1200

const widths = signal<Readonly<Record<string, number>>>(JSON.parse(localStorage.getItem(storageKey) ?? '{}'))

effect(() => localStorage.setItem(storageKey, JSON.stringify(widths.value)))

export function columnWidth(type: TypeModel, { path, field }: Column): number {
  return widths.value[keyOf(type, path)] ?? widthOf(field)
}

export function setColumnWidth(type: TypeModel, path: string, width: number): void {
  const bounded = Math.round(Math.max(minWidth, Math.min(maxWidth, width)))
  widths.value = { ...widths.value, [keyOf(type, path)]: bounded }
}

function keyOf({ name }: TypeModel, path: string): string {
  return `${name}.${path}`
}
