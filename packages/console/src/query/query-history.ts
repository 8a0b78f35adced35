// The documents that were run, the newest first. They stay in this browser.

import { signal } from '@preact/signals'
import { base } from '../api/base.ts'
import { variablesWithoutSecrets, withoutSecrets } from './secrets.ts'

export interface RunDocument {
  query: string
  variables: string
  time: string
}

const storageKey = `twain.queries ${base}`
const maxDocuments = 50
const maxCharacters = 200_000

export const runDocuments = signal<readonly RunDocument[]>(readStored())

export function rememberRun(query: string, variables: string): void {
  const run = {
    query: withoutSecrets(query),
    variables: variablesWithoutSecrets(variables),
    time: new Date().toISOString(),
  }
  const others = runDocuments.value.filter((one) => one.query !== run.query || one.variables !== run.variables)
  let characters = 0
  runDocuments.value = [run, ...others].slice(0, maxDocuments).filter((one) => {
    characters += one.query.length + one.variables.length
    return characters <= maxCharacters
  })
  store()
}

export function forgetRuns(): void {
  runDocuments.value = []
  store()
}

function store(): void {
  try {
    localStorage.setItem(storageKey, JSON.stringify(runDocuments.value))
  } catch {
    // The browser keeps nothing here: the history lasts as long as the page.
  }
}

function readStored(): readonly RunDocument[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? '[]') as RunDocument[]
  } catch {
    return []
  }
}
