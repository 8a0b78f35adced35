// A thread that compares changed schemas with the served one, one after another. A text can take long to read, and may need much memory:
// the thread can be stopped, the server can't.

import { parentPort } from 'node:worker_threads'
import { loadFolder, loadModel, type Mistake, type Model, SchemaMistakes, type SchemaSource } from '#model'
import { type ChangeList, compareModels, listChanges } from '#model/compare'
import { unsettableFields } from '#plan/explain'

/** The files of a folder, or one file. */
export interface ComparedSources {
  path: string
  isFolder: boolean
  sources: readonly SchemaSource[]
}

export interface CompareTask {
  before: ComparedSources
  after: ComparedSources
}

export type CompareOutcome = { changes: ChangeList } | { mistakes: readonly Mistake[] }

parentPort?.on('message', (task: CompareTask) => parentPort!.postMessage(compare(task)))

function compare({ before, after }: CompareTask): CompareOutcome {
  try {
    const changed = load(after)
    const mistakes = unsettableFields(changed)
    if (mistakes.length > 0) return { mistakes }
    return { changes: listChanges(compareModels(load(before), changed), changed, after.sources[0]!.file) }
  } catch (error) {
    if (error instanceof SchemaMistakes) return { mistakes: error.mistakes }
    throw error
  }
}

function load({ path, isFolder, sources }: ComparedSources): Model {
  return isFolder ? loadFolder(sources, path).model : loadModel(sources[0]!.text, path)
}
