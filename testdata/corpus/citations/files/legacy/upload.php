<?php

function save_upload(array $file, string $folder): string
{
    $target = $folder . '/' . $file['name'];
    if (!move_uploaded_file($file['tmp_name'], $target)) {
        throw new RuntimeException("cannot move {$file['tmp_name']}");
    }
    return $target;
}

function greeting(string $name): string
{
    return "<h1>Hello $name</h1>";
}
