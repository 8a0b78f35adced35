/** The store can't be opened with these options. The message is for the operator. */
export class StartRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StartRefused'
  }
}
