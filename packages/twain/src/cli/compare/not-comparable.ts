/** What a file can't be compared with; the message is ready to be shown. */
export class NotComparable extends Error {}
