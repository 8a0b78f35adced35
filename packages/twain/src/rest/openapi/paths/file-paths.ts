// Uploads and the bytes of files in the document, if a field of the schema has the type `File` (docs/reference/rest.md, R100–R109).

import { ApiError } from '#base'
import { anonymous } from '#base/http'
import type { Model } from '#model'
import { Authority, imageFits, imageFormats, isUnrestricted } from '#plan'
import { exampleId } from '#plan/explain'
import { type OpenapiObject, type OpenapiValue, schemaRef } from '../json-parts.ts'
import { contentOf, jsonContent } from '../media.ts'
import { parameterRef } from '../parameters.ts'
import { commonFailures, failureRefs, type HeaderName, response } from '../responses.ts'

/** The methods that are no reads of rows. */
export function filePaths(model: Model): Record<string, OpenapiObject> {
  if (model.file === null) return {}
  return {
    '/files': { post: upload(model) },
    '/files/{id}': { get: isUnrestricted(model) ? download : signedDownload },
  }
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
    tags: ['File'],
    summary: 'Upload a file',
    description:
      'Send the file as the body, or as the only part of a form. Then write its id to a field. The server deletes a file after a whole day in which no row referred to it.',
    security: isUnrestricted(model) ? undefined : uploaders(model),
    parameters: [
      {
        name: 'name',
        in: 'query',
        description: 'The name of the file. The default comes from the form or `Content-Disposition`.',
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
        422,
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

/** R109. */
const variantParameters: readonly OpenapiObject[] = [
  {
    name: 'width',
    in: 'query',
    description: 'The width of an image in pixels: one of `files.sizes`. Without `height` it keeps its proportions.',
    schema: { type: 'integer' },
  },
  { name: 'height', in: 'query', description: 'The height, of the same sizes.', schema: { type: 'integer' } },
  {
    name: 'fit',
    in: 'query',
    description: 'How an image fits into `width` and `height`.',
    schema: { enum: [...imageFits], default: 'INSIDE' },
  },
  {
    name: 'format',
    in: 'query',
    description: 'The format of a variant of an image.',
    schema: { enum: [...imageFormats], default: 'WEBP' },
  },
]

const cacheHeaders: readonly HeaderName[] = ['ETag', 'Cache-Control']

const download: OpenapiObject = {
  operationId: 'readFile',
  tags: ['File'],
  summary: 'Read a file',
  description:
    'The bytes, with the media type of the upload, or a variant of an image. A viewer who may read a row with the file may read the file.',
  parameters: [
    parameterRef('If-None-Match'),
    {
      name: 'Range',
      in: 'header',
      description: 'One range of bytes; otherwise the response is the whole file.',
      schema: { type: 'string' },
      example: 'bytes=0-99',
    },
    {
      name: 'If-Range',
      in: 'header',
      description: 'The `ETag` that the range belongs to: the whole file if it has another one now.',
      schema: { type: 'string' },
      example: '"0f3a"',
    },
    ...variantParameters,
  ],
  responses: {
    200: response('The bytes.', [...cacheHeaders, 'Content-Disposition', 'Accept-Ranges'], contentOf(['*/*'], binary)),
    206: response(
      'The range of bytes.',
      [...cacheHeaders, 'Content-Disposition', 'Content-Range'],
      contentOf(['*/*'], binary),
    ),
    304: response('The client has the current file.', cacheHeaders),
    ...failureRefs([400, 401, 404, 413, 415]),
    416: response(
      'The range is outside of the file.',
      ['Content-Range'],
      contentOf(['application/problem+json'], schemaRef('twain.problem')),
    ),
    ...failureRefs(commonFailures),
  },
}

/** The signed `url` of a file has these parameters. */
const signedDownload: OpenapiObject = {
  ...download,
  parameters: [
    ...(download.parameters as OpenapiValue[]),
    { name: 'expires', in: 'query', description: 'When the `url` expires.', schema: { type: 'string' } },
    { name: 'signature', in: 'query', description: 'The signature of the `url`.', schema: { type: 'string' } },
  ],
}
