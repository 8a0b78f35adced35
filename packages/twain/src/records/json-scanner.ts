// A JSON list of objects: each item is a record. A single object is a list of one.

import { isSpace } from './line-scanner.ts'
import { BadFile, type RecordScanner } from './record.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

export class JsonScanner implements RecordScanner {
  #state: 'start' | 'item' | 'between' | 'inside' | 'after' = 'start'
  #isList = false
  #depth = 0
  #isText = false
  #isEscaped = false

  see(byte: number, line: number): 'begin' | 'end' | null {
    if (this.#state === 'inside') return this.#seeInside(byte)
    if (isSpace(byte)) return null
    switch (this.#state) {
      case 'start':
        if (byte === OPEN_OBJECT) return this.#begin()
        if (byte !== OPEN_LIST) throw new BadFile(line, 'The file must be a JSON list of objects: [{…}, {…}].')
        this.#isList = true
        this.#state = 'item'
        return null
      case 'item':
        if (byte === OPEN_OBJECT) return this.#begin()
        if (byte !== CLOSE_LIST) throw new BadFile(line, 'Each item of the list must be an object: {"field": value}.')
        this.#state = 'after'
        return null
      case 'between':
        if (byte === COMMA) this.#state = 'item'
        else if (byte === CLOSE_LIST) this.#state = 'after'
        else throw new BadFile(line, 'There must be a comma between two objects of the list.')
        return null
      default:
        throw new BadFile(line, 'There is something behind the end of the list.')
    }
  }

  #begin(): 'begin' {
    this.#state = 'inside'
    this.#depth = 1
    return 'begin'
  }

  #seeInside(byte: number): 'end' | null {
    if (this.#isText) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) this.#isText = false
      return null
    }
    if (byte === QUOTE) this.#isText = true
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) this.#depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) this.#depth--
    if (this.#depth > 0) return null
    this.#state = this.#isList ? 'between' : 'after'
    return 'end'
  }

  finish(line: number): boolean {
    if (this.#state === 'after') return false
    if (this.#state === 'start') throw new BadFile(line, 'The file is empty. Without rows it is an empty list: [].')
    throw new BadFile(line, 'The list has no end: the file is not complete.')
  }
}
