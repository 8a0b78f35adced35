// The path below which the APIs and the console are (`http.basePath`); empty at the root.

export const base: string = document.querySelector<HTMLMetaElement>('meta[name=twain-base]')!.content
