// The texts about many rows at once, for translation. They are loaded with the bar of chosen rows.

import { printCount } from '../texts.ts'

export const bulkTexts = {
  chosen: (count: number) => `${count} ${count === 1 ? 'row' : 'rows'} chosen`,
  chosenAll: 'All rows that match are chosen',
  chooseAll: 'Choose all that match',
  tooManyChosen: (most: number) =>
    `At most ${most} rows can be chosen one by one. For more, filter them and choose all that match.`,
  clearChoice: 'Choose none',
  changeChosen: 'Change a field…',
  deleteChosen: 'Delete…',
  restoreChosen: 'Restore…',
  purgeChosen: 'Delete for good…',
  checking: 'Trying it without writing anything…',
  bulkTitles: { delete: 'Delete rows', update: 'Change rows', restore: 'Restore rows', purge: 'Delete rows for good' },
  bulkQuestion: {
    delete: (rows: string) => `Delete ${rows}?`,
    update: (rows: string) => `Change ${rows}?`,
    restore: (rows: string) => `Restore ${rows}?`,
    purge: (rows: string) => `Delete ${rows} for good? Nobody can restore them.`,
  },
  bulkDone: {
    delete: (rows: string) => `${rows} deleted.`,
    update: (rows: string) => `${rows} changed.`,
    restore: (rows: string) => `${rows} restored.`,
    purge: (rows: string) => `${rows} deleted for good.`,
  },
  refused: 'The server would refuse these:',
  refusedAfter: 'The server refused these:',
  andMore: (count: number) => `… and ${printCount(count)} more.`,
  progress: (done: number, all: number) => `${done.toLocaleString()} of ${all.toLocaleString()} done.`,
  otherRows: (rows: string) => `Only the other ${rows}`,
  confirm: { delete: 'Delete', update: 'Change', restore: 'Restore', purge: 'Delete for good' },
  check: 'Try it',
  goesAlong: (count: string, type: string, field: string) => `${count} ${type} (${field}) would be deleted along.`,
  wouldRefuse: (count: string, type: string, field: string) => `${count} ${type} (${field}) would refuse it.`,
  losesReference: (count: string, type: string, field: string) => `${count} ${type} would lose their ${field}.`,
  refusedSome: 'Not all rows were tried: there may be more.',
  notDeleted: 'It is not deleted any more, or the rules do not let you read and delete it.',
}
