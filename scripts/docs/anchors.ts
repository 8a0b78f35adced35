// The anchors of the headings of a page, as GitHub makes them: small letters, no punctuation, a dash for a space, a number for the
// second of a name. So a link works on GitHub and in the site.

export class Anchors {
  readonly #taken = new Set<string>()

  /** `heading` is Markdown. Call it for all headings of a page, in their order. */
  of(heading: string): string {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
    let unique = anchor
    for (let n = 1; this.#taken.has(unique); n++) unique = `${anchor}-${n}`
    this.#taken.add(unique)
    return unique
  }
}
