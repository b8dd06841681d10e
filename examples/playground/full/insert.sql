INSERT INTO orders (item, price) VALUES ($1, $2) RETURNING id
