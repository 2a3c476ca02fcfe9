// A worker that ends as soon as it has begun.

process.exit(3);
