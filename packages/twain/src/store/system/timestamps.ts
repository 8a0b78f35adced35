// Times in system tables are texts in UTC with milliseconds, which sort by time. Everywhere else they are milliseconds since
// 1970.

import type { SqlValue } from '../sql/encode.ts'

export const toText = (time: number): string => new Date(time).toISOString()
export const toTime = (text: SqlValue | undefined): number => Date.parse(text as string)
