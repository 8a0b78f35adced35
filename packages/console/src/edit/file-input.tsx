// A file field: a file is dropped or chosen, uploaded at once with its progress, and its id becomes a part of the draft.

import { useSignal } from '@preact/signals'
import { client } from '../api/client.ts'
import { texts } from '../texts.ts'
import type { ValueControlProps } from './value-control.tsx'

const upload = 'mutation UploadFile($file: Upload!) { uploadFile(file: $file) { id name } }'

export function FileInput({ label, common, onValue }: Pick<ValueControlProps, 'label' | 'common' | 'onValue'>) {
  const progress = useSignal<number | null>(null)
  const failure = useSignal<string | null>(null)
  const isOver = useSignal(false)
  const send = async (file: File | undefined) => {
    if (file === undefined) return
    failure.value = null
    progress.value = 0
    try {
      const { data } = await client.upload<{ uploadFile: { id: string; name: string | null } }>(
        upload,
        { file },
        { onProgress: (sent, total) => (progress.value = total === 0 ? 1 : sent / total) },
      )
      onValue(data!.uploadFile.id, data!.uploadFile.name ?? file.name)
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error)
    } finally {
      progress.value = null
    }
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the input inside does the same by keys
    <div
      class={`file-drop${isOver.value ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        if (common.disabled !== true) void send(event.dataTransfer?.files[0])
      }}
    >
      {label !== '' && <p>{label}</p>}
      <input {...common} type="file" onChange={(event) => void send(event.currentTarget.files?.[0])} />
      <p class="note">{texts.dropFile}</p>
      {progress.value !== null && <progress aria-label={texts.uploading} value={progress.value} max={1} />}
      {failure.value !== null && (
        <p role="alert" class="note mistake">
          {failure.value}
        </p>
      )}
    </div>
  )
}
