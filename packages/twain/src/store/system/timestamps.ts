// Times in our own tables: kept as text of UTC with milliseconds, whose order is that of time; milliseconds since 1970 elsewhere.

import type { SqlValue } from '../sql/encode.ts'

export const toText = (time: number): string => new Date(time).toISOString()
export const toTime = (text: SqlValue | undefined): number => Date.parse(text as string)
