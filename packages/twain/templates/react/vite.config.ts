import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // As in production, the page and the APIs have one origin.
  server: { proxy: { '/api': { target: process.env.API ?? 'http://127.0.0.1:4000', ws: true } } },
})
