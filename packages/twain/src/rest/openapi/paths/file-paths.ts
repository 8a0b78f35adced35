// `/files` in the document, where a field of the contract is of the type `File` (docs/reference/rest.md, R100–R107).

import { ApiError, anonymous } from '#base'
import type { Model } from '#model'
import { Authority, isUnrestricted } from '#plan'
import { exampleId } from '#plan/explain'
import { type NamedSchema, type OpenapiObject, type OpenapiValue, schemaRef } from '../json-parts.ts'
import { contentOf, jsonContent } from '../media.ts'
import { parameterRef } from '../parameters.ts'
import { commonFailures, failureRefs, type HeaderName, response } from '../responses.ts'
import { connectionSchema } from '../schemas/row-schemas.ts'

export const fileTag = { name: 'File', description: 'What fields of the type File hold.' }

export function filePaths(model: Model): OpenapiObject {
  if (model.file === null) return {}
  return {
    '/files': { post: upload(model) },
    '/files/{id}': { parameters: [parameterRef('id')], get: isUnrestricted(model) ? download : signedDownload },
  }
}

/** `File` as an upload tells it, and what `fields` may choose of it. */
export function fileSchemas({ file }: Model): NamedSchema[] {
  if (file === null) return []
  const text = { type: 'string' }
  const url = { ...text, format: 'uri-reference', description: 'Where its bytes are; not for everyone, it is signed.' }
  const properties = { id: text, url, name: text, mediaType: text, size: { type: 'integer', minimum: 0 } }
  const description = 'A file.'
  return [
    ['File', { type: 'object', description, properties, required: Object.keys(properties) }],
    [
      'File.choice',
      { type: 'object', description: 'What `fields` chose of a file.', properties, additionalProperties: false },
    ],
    ['File.connection', connectionSchema(file.resource)],
  ]
}

const binary: OpenapiObject = { type: 'string', format: 'binary' }

const form: OpenapiObject = {
  type: 'object',
  properties: { file: binary },
  required: ['file'],
  additionalProperties: false,
}

function upload(model: Model): OpenapiObject {
  const value: OpenapiObject = {
    id: exampleId,
    url: `/files/${exampleId}`,
    name: 'photo.png',
    mediaType: 'image/png',
    size: 48_213,
  }
  return {
    operationId: 'uploadFile',
    tags: [fileTag.name],
    summary: 'Upload a file',
    description:
      'As the body itself, or as the one part of a form. Its id is then written into a field; a file that no row holds within a day goes again.',
    security: isUnrestricted(model) ? undefined : uploaders(model),
    parameters: [
      {
        name: 'name',
        in: 'query',
        description: 'What it is called; left out: as the form or `Content-Disposition` says.',
        schema: { type: 'string' },
        example: 'photo.png',
      },
      parameterRef('Idempotency-Key'),
    ],
    requestBody: { required: true, content: { 'multipart/form-data': { schema: form }, '*/*': { schema: binary } } },
    responses: {
      201: response(
        'The file.',
        ['Location', 'Cache-Control', 'Idempotent-Replayed'],
        jsonContent(schemaRef('File'), { file: { value } }),
      ),
      ...failureRefs([
        400,
        401,
        ...(isUnrestricted(model) ? [] : [403 as const]),
        404,
        406,
        409,
        413,
        415,
        ...commonFailures,
      ]),
    },
  }
}

function uploaders(model: Model): OpenapiValue {
  try {
    new Authority(model).admitUpload(anonymous)
    return [{}, { bearer: [] }]
  } catch (error) {
    if (error instanceof ApiError) return [{ bearer: [] }]
    throw error
  }
}

const cacheHeaders: readonly HeaderName[] = ['ETag', 'Cache-Control']

const download: OpenapiObject = {
  operationId: 'readFile',
  tags: [fileTag.name],
  summary: 'Read a file',
  description:
    'Its bytes, as what their uploader said that they are. Whoever may read a row that holds it may read it.',
  parameters: [
    parameterRef('If-None-Match'),
    {
      name: 'Range',
      in: 'header',
      description: 'One range of bytes; anything else is answered with the whole.',
      schema: { type: 'string' },
      example: 'bytes=0-99',
    },
    {
      name: 'If-Range',
      in: 'header',
      description: 'The `ETag` of which the range is to be a part: the whole when it has another now.',
      schema: { type: 'string' },
      example: '"0f3a"',
    },
  ],
  responses: {
    200: response('The bytes.', [...cacheHeaders, 'Content-Disposition', 'Accept-Ranges'], contentOf(['*/*'], binary)),
    206: response(
      'A part of them.',
      [...cacheHeaders, 'Content-Disposition', 'Content-Range'],
      contentOf(['*/*'], binary),
    ),
    304: response('The client has it already.', cacheHeaders),
    ...failureRefs([400, 401, 404]),
    416: response(
      'Nothing of the range is there.',
      ['Content-Range'],
      contentOf(['application/problem+json'], schemaRef('twain.problem')),
    ),
    ...failureRefs(commonFailures),
  },
}

/** Where not everyone may read it, its `url` brings these along. */
const signedDownload: OpenapiObject = {
  ...download,
  parameters: [
    ...(download.parameters as OpenapiValue[]),
    { name: 'expires', in: 'query', description: 'Until when its `url` is good.', schema: { type: 'string' } },
    { name: 'signature', in: 'query', description: 'What proves its `url`.', schema: { type: 'string' } },
  ],
}
