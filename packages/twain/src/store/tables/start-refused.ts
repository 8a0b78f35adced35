/** The store can't be opened as asked; the message is ready to be shown. */
export class StartRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StartRefused'
  }
}
